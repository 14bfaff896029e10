/**
 * Tests that take minutes of processor time together, and prove what exists at its real size: packed packages, the examples,
 * workflows, imports of repositories and benchmarks, juries and judges of tests against every cheat, real frameworks, contracts of
 * coding agents, simulations, runs of 36 MB, several workers on one database, a parser that runs out of memory, laws of
 * comparisons, ways out of sandboxes, readers of long texts, the site, and the page. `npm run test:long` runs them, and `npm test`
 * leaves them out. Of the page it keeps a walk: `reading`, `verdict`, `keyboard`, `live`, and `conversation`, which looks for
 * barriers in both themes.
 */
export const longTests: readonly string[] = [
  'tests/many-machines/*.test.ts',
  'examples/{bridges,continuous-integration,hidden-tests,humanevalpack,labels,migration,overnight}/*.test.ts',
  'examples/repair/tests/{agent,dataset,harness,harness-cheats,until}.test.ts',
  'tests/{examples,examples-in-comments,packages,vetted-examples,walk}.test.ts',
  'tests/{interval-coverage,null-comparisons,ratchet-nights}.test.ts',
  'packages/vet/tests/{establish/establish,mutate/prove,mutate/prove-survivors,probe/probes-{full,isolated,javascript,python}}.test.ts',
  'packages/bridges/frameworks/**/*.test.ts',
  'packages/bridges/tests/{acp/{contract,script},claude-agent/contract,codex/contract}.test.ts',
  'packages/core/tests/{injection/injection,llm/linear,llm-judges/last-word}.test.ts',
  'packages/experiment/tests/store/{store-crash,trial-index}.test.ts',
  'packages/jurist/tests/commands/{bisect/bisect-killed,init/init-templates,lift/{killed,sandboxed,subjects,unloaded},promote/{live,planted,real-judges},ratchet/{attacks,killed,sandboxed,ways},show/blame,scan/scan-bytes,store/merge-repair,vet/{strict-tests,variants},worker/{distributed,postgres}}.test.ts',
  'packages/jurist/tests/config/json-schema.test.ts',
  'packages/import/tests/**/import-{agent-eval,git,harbor,predictions,promptfoo,swebench,trace-directories}.test.ts',
  'packages/distributed/tests/postgres/{queue-histories,until-decided}.test.ts',
  'packages/vitest/tests/versions.test.ts',
  'packages/workspace/tests/commands/{canaries,imports,isolate}/*.test.ts',
  'packages/workspace/tests/commands/{cheats-beside-tests,forged-runs,no-report,steering}.test.ts',
  'packages/workspace/tests/sandbox/{egress,egress-laws,works-inside}.test.ts',
  'packages/workspace/tests/{coverage/after,files/laws,files/code/{broken-parser,laws,script}}.test.ts',
  'site/tests/*.test.ts',
  'tests/e2e/page/{certificate,command,daily-tasks,decided,findings,first-contact,grid,imported,injection,journal,network}.test.ts',
  'tests/e2e/page/{judges,lift,outputs,pairs,places,ratchet,review,trend,undecided-judges,views,why}.test.ts',
]
