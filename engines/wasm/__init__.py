"""The LibreOffice WASM engine, hosted in wasmtime."""
