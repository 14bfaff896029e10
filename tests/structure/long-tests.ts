/**
 * Tests that take minutes of processor time together, and prove what exists at its real size: packed packages, the examples,
 * workflows, juries against every cheat, simulations, every view of the page in both themes. `npm run test:long` runs them, and `npm test` leaves them out.
 */
export const longTests: readonly string[] = [
  'tests/many-machines/*.test.ts',
  'tests/{hidden-tests,humanevalpack,labels,migration,own-repository,vetted-examples}.test.ts',
  'tests/repair-{agent,dataset,harness,harness-cheats}.test.ts',
  'tests/{continuous-integration,gitlab-workflow,shards-workflow,packages}.test.ts',
  'tests/{interval-coverage,null-comparisons}.test.ts',
  'packages/vet/tests/probes-{full,isolated,javascript,python}.test.ts',
  'packages/jurist/tests/merge-repair.test.ts',
  'tests/e2e/page/{first-contact,grid,injection,trend,views}.test.ts',
]
