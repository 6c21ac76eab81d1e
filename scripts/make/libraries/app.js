// The libraries of the page, docs/app: a system for the program, and a reader of its tables.
export {ConsoleStdout, Directory, File, OpenFile, PreopenDirectory, WASI} from "@bjorn3/browser_wasi_shim";
export {parquetMetadataAsync, parquetReadObjects, parquetSchema} from "hyparquet";
export {decompress as zstd} from "fzstd";
