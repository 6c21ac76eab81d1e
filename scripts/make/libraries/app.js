// The libraries of the page, docs/app: a system for the program, and a reader of its tables.
export {ConsoleStdout, Directory, File, OpenFile, PreopenDirectory, WASI} from "@bjorn3/browser_wasi_shim";
export {parquetMetadata, parquetReadObjects} from "hyparquet";
export {decompress as zstd} from "fzstd";
