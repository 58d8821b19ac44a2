/** The builder hands an SVG file over as its text. */
declare module '*.svg' {
  const text: string;
  export default text;
}
