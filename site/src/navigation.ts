/** A link of the navigation: a document of the repository, and what a reader wants from it. */
interface NavigationLink {
  /** The document, from the root of the repository, or a page that the build makes, such as `api`. */
  readonly to: string
  readonly label: string
}

interface NavigationGroup {
  readonly title: string
  readonly links: readonly NavigationLink[]
}

/** What a reader wants to do, in the order in which most readers want it. Labels say the task, not the file. */
export const navigation: readonly NavigationGroup[] = [
  {
    title: 'Start',
    links: [
      { to: 'README.md', label: 'What Jurist is' },
      { to: 'docs/guide/hidden-tests.md', label: 'Your first evaluation' },
      { to: 'docs/guide/experiments.md', label: 'Datasets, runs, results' },
      { to: 'docs/guide/rows-and-columns.md', label: 'Rows and columns' },
      { to: 'docs/guide/judges.md', label: 'Judges, juries, cascades' },
      { to: 'docs/guide/configuration.md', label: 'The config file' },
      { to: 'docs/guide/command.md', label: 'The command' },
      { to: 'docs/comparisons.md', label: 'How it compares' },
    ],
  },
  {
    title: 'Run agents',
    links: [
      { to: 'docs/guide/coding-agents.md', label: 'Coding agents' },
      { to: 'docs/guide/own-repository.md', label: 'Tasks of your own history' },
      { to: 'docs/guide/conversations.md', label: 'Conversational agents' },
      { to: 'docs/guide/tools.md', label: 'Tool calls and state' },
      { to: 'docs/guide/mcp.md', label: 'Tools over a state (MCP)' },
      { to: 'docs/guide/hooks.md', label: 'A jury that stops an agent' },
      { to: 'docs/guide/bridges.md', label: 'Connect a framework' },
      { to: 'docs/guide/safety.md', label: 'Untrusted agents' },
      { to: 'docs/guide/network.md', label: 'What leaves your machine' },
    ],
  },
  {
    title: 'Ask a model',
    links: [
      { to: 'docs/guide/models.md', label: 'Models, caches, budgets' },
      { to: 'docs/guide/model-judges.md', label: 'Built-in model judges' },
    ],
  },
  {
    title: 'Trust the figures',
    links: [
      { to: 'docs/guide/how-sure.md', label: 'How sure is a figure?' },
      { to: 'docs/guide/comparing.md', label: 'Compare two runs' },
      { to: 'docs/guide/rejudging.md', label: 'Judge stored runs again' },
      { to: 'docs/guide/calibrating.md', label: 'Calibrate a judge' },
      { to: 'docs/guide/labels.md', label: 'Label trials' },
      { to: 'docs/guide/certificates.md', label: 'Certify a cascade' },
      { to: 'docs/guide/vetting.md', label: 'Vet a benchmark' },
    ],
  },
  {
    title: 'Look and report',
    links: [
      { to: 'sample-report', label: 'A sample report' },
      { to: 'docs/guide/viewer.md', label: 'The page' },
      { to: 'docs/guide/reports.md', label: 'Reports and tables' },
      { to: 'docs/guide/behaviour.md', label: 'What agents did, and why' },
    ],
  },
  {
    title: 'Run it everywhere',
    links: [
      { to: 'docs/guide/vitest.md', label: 'In Vitest' },
      { to: 'docs/guide/continuous-integration.md', label: 'On every pull request' },
      { to: 'docs/guide/many-machines.md', label: 'On many machines' },
      { to: 'docs/guide/extending.md', label: 'Parts of your own' },
      { to: 'docs/guide/own-store.md', label: 'A store of your own' },
    ],
  },
  {
    title: 'Bring what you have',
    links: [
      { to: 'docs/guide/other-tools.md', label: 'Terms of other tools' },
      { to: 'docs/guide/importing.md', label: 'From promptfoo' },
      { to: 'docs/guide/from-vitest-evals.md', label: 'From vitest-evals, evalite' },
      { to: 'docs/guide/inspect.md', label: 'From Inspect' },
      { to: 'docs/guide/agent-eval.md', label: 'From agent-eval' },
      { to: 'docs/guide/harbor.md', label: 'Harbor tasks' },
      { to: 'docs/guide/swe-bench.md', label: 'SWE-bench' },
      { to: 'docs/guide/traces.md', label: 'Recorded traces' },
    ],
  },
  {
    title: 'Reference',
    links: [
      { to: 'api', label: 'API' },
      { to: 'docs/style.md', label: 'Words and terms' },
      { to: 'docs/foundations.md', label: 'Where the ideas come from' },
      { to: 'docs/from-the-seeds.md', label: 'From the seeds' },
      { to: 'bench/README.md', label: 'Benchmarks' },
    ],
  },
]

/** Documents that the build finds by themselves, each kind in a group at the end. */
export const foundGroups: readonly { readonly title: string; readonly matches: RegExp }[] = [
  { title: 'More', matches: /^docs\/(?:guide\/)?[a-z][^/]*\.md$/ },
  { title: 'Examples', matches: /^examples\// },
  { title: 'Design decisions', matches: /^docs\/decisions\// },
  { title: 'Take part', matches: /^(?:docs\/)?[A-Z]+\.md$|CHANGELOG\.md$/ },
]
