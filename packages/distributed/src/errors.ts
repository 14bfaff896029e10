declare module '@jurist/core' {
  interface Problems {
    /** Why runs are not the shards of one run, a sentence each. */
    'merge-mismatch': { readonly differences: readonly string[] }
    /** The shards that are missing or unfinished, a sentence each. */
    'merge-incomplete': { readonly missing: readonly string[] }
  }
}

export {}
