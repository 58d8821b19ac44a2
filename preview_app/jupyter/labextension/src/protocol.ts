/** What goes over the wire: the answers of docpeek's server extension, as they are. */

export interface IDocument {
  readonly id: string;
  readonly path: string;
  readonly name: string;
  readonly etag: string;
  /** Width and height of each page, in points. */
  readonly pages: readonly (readonly [number, number])[];
  /** `null` for a PDF, which is shown as it is. */
  readonly engine: string | null;
  readonly engine_version: string;
  readonly generation: string;
  readonly digest: string;
  readonly type: { readonly id: string; readonly label: string };
  readonly claimed_suffix_differs: boolean;
  readonly notices: readonly { readonly kind: string; readonly message: string }[];
  readonly missing_fonts: readonly { readonly family: string; readonly replacement: string }[];
  readonly seconds: { readonly queue: number; readonly convert: number; readonly total: number };
  readonly pdf_bytes: number;
  readonly source_bytes: number;
  readonly modified: string;
  readonly other_engines: readonly string[];
  readonly print_layout: boolean;
  readonly protected: boolean;
  readonly changed?: boolean;
}

export type Phase = 'preparing' | 'waiting' | 'reading' | 'screening' | 'converting' | 'checking' | 'opening';

export type Fault = 'document' | 'engine' | 'machine' | 'caller' | 'load' | 'network';

export interface IFailure {
  readonly kind: string;
  readonly message: string;
  readonly fault: Fault;
  readonly retry: boolean;
  readonly engine?: string;
  readonly other_engines?: readonly string[];
  /** For a details pane. */
  readonly diagnostics?: string;
}

export type OpenEvent =
  | { readonly event: 'accepted'; readonly ticket: string }
  | {
      readonly event: 'phase';
      readonly phase: Phase;
      readonly place?: number | null;
      readonly message?: string;
      readonly percent?: number;
      readonly elapsed_s: number;
    }
  | { readonly event: 'still_working'; readonly elapsed_s: number }
  | { readonly event: 'large'; readonly source_bytes: number }
  | { readonly event: 'ready'; readonly document: IDocument }
  | { readonly event: 'failed'; readonly error: IFailure };

export interface IOpenRequest {
  readonly path: string;
  readonly lane: 'critical' | 'low';
  readonly engine?: string;
  readonly password?: string;
  readonly print_layout?: boolean;
  readonly anyway?: boolean;
}

/** x0, y0, x1, y1 in points from the page's top left corner. */
export type Box = readonly [number, number, number, number];

export interface ILine {
  readonly text: string;
  readonly box: Box;
  readonly block: number;
  readonly vertical: boolean;
  /** Where each character begins along the line, and where the last one ends. */
  readonly edges: readonly number[];
}

export interface ILink {
  readonly box: Box;
  readonly uri?: string | null;
  readonly page?: number | null;
  readonly x?: number | null;
  readonly y?: number | null;
}

export interface IPageText {
  readonly lines: readonly ILine[];
  readonly links: readonly ILink[];
}

export interface IHit {
  readonly boxes: readonly Box[];
}

export type SearchEvent =
  | { readonly page: number; readonly hits: readonly IHit[] }
  | { readonly searched: number }
  | { readonly error: IFailure }
  | { readonly done: true; readonly hits: number; readonly truncated: boolean };

export interface IOutlineEntry {
  readonly level: number;
  readonly title: string;
  readonly page: number | null;
  readonly y: number | null;
}

export interface IAbout {
  readonly name: string;
  readonly version: string;
  readonly licence: string;
  readonly source: string;
  readonly engines: readonly {
    readonly name: string;
    readonly version: string;
    readonly state: string;
    readonly in_use: boolean;
    readonly note: string;
  }[];
  /** Whether documents may be asked for ahead of need. */
  readonly prefetch: boolean;
  readonly limits: Readonly<Record<string, number>>;
}
