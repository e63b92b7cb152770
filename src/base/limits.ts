/** Every fixed limit of the engine, with its unit in its name. */
export const limits = {
  block_rows_max: 65_536,
  /** Blocks below this many rows keep their type's default vector kind, so that small inserts share one shape. */
  block_narrow_rows_min: 4_096,
  query_text_bytes_max: 262_144,
  nesting_depth_max: 1_000,
  type_nesting_depth_max: 64,
  cell_bytes_max: 1_073_741_824,
  identifier_bytes_max: 255,
  query_cache_entries_max: 1_000,
  regexp_cache_entries_max: 256,
  insert_block_rows: 65_536,
  slice_milliseconds: 8,
} as const;
