// The libraries of the report: charts and tables. What is not named here is not bundled.
export {plot, pointerX, rectY, ruleY, text, tip} from "@observablehq/plot";
export {
  columnFilteringFeature,
  constructTable,
  createFilteredRowModel,
  createPaginatedRowModel,
  createSortedRowModel,
  globalFilteringFeature,
  rowPaginationFeature,
  rowSortingFeature,
  tableFeatures,
} from "@tanstack/table-core";
export {storeReactivityBindings} from "@tanstack/table-core/store-reactivity-bindings";
