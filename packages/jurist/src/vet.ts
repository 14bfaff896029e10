/** Proof that a benchmark is sound: it can be solved, cheats do not pass it, and its judges notice small mistakes. */
export * from '@jurist/vet'
