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
      { to: 'docs/guide/install.md', label: 'Install, choose your path' },
      { to: 'docs/guide/hidden-tests.md', label: 'Your first evaluation' },
      { to: 'docs/guide/recipes.md', label: 'Recipes' },
      { to: 'docs/guide/troubleshooting.md', label: 'Troubleshooting' },
      { to: 'docs/comparisons.md', label: 'How it compares' },
    ],
  },
  {
    title: 'Build an evaluation',
    links: [
      { to: 'docs/guide/datasets.md', label: 'Datasets' },
      { to: 'docs/guide/agents.md', label: 'Connect your agent' },
      { to: 'docs/guide/judges.md', label: 'Judges, juries, cascades' },
      { to: 'docs/guide/tests.md', label: 'Judge by tests' },
      { to: 'docs/guide/models.md', label: 'Judges that ask a model' },
      { to: 'docs/guide/conversations.md', label: 'Chat bots, agents with tools' },
    ],
  },
  {
    title: 'Run it',
    links: [
      { to: 'docs/guide/experiments.md', label: 'Run an experiment' },
      { to: 'docs/guide/safety.md', label: 'Safety' },
      { to: 'docs/guide/continuous-integration.md', label: 'CI and Vitest' },
      { to: 'docs/guide/many-machines.md', label: 'Many machines' },
      { to: 'docs/guide/hooks.md', label: 'A jury that stops an agent' },
    ],
  },
  {
    title: 'Read the results',
    links: [
      { to: 'sample-report', label: 'A sample report' },
      { to: 'docs/guide/results.md', label: 'Read the results' },
      { to: 'docs/guide/how-sure.md', label: 'How sure is a figure?' },
      { to: 'docs/guide/comparing.md', label: 'Compare two runs' },
      { to: 'docs/guide/regressions.md', label: 'Failures and flaky items' },
    ],
  },
  {
    title: 'Trust it, improve with it',
    links: [
      { to: 'docs/guide/calibrating.md', label: 'Can I trust my judge?' },
      { to: 'docs/guide/vetting.md', label: 'Can I trust a pass?' },
      { to: 'docs/guide/skills.md', label: 'Improve a skill, or a prompt' },
    ],
  },
  {
    title: 'Bring what you have',
    links: [
      { to: 'docs/guide/own-repository.md', label: 'Your own repository' },
      { to: 'docs/guide/public-benchmarks.md', label: 'Public benchmarks' },
      { to: 'docs/guide/coming-from.md', label: 'Coming from another tool' },
      { to: 'docs/guide/extending.md', label: 'Parts of your own' },
    ],
  },
  {
    title: 'Reference',
    links: [
      { to: 'docs/reference/command.md', label: 'Command' },
      { to: 'docs/reference/config.md', label: 'Config' },
      { to: 'docs/reference/judges.md', label: 'Judges and votes' },
      { to: 'docs/reference/probes.md', label: 'Probes' },
      { to: 'docs/reference/imports.md', label: 'Imports and exports' },
      { to: 'api', label: 'API' },
      { to: 'bench/README.md', label: 'Benchmarks' },
    ],
  },
]

/** Documents that the build finds by themselves, each kind in a group at the end. */
export const foundGroups: readonly { readonly title: string; readonly matches: RegExp }[] = [
  { title: 'More', matches: /^docs\/guide\/[a-z][^/]*\.md$/ },
  { title: 'Examples', matches: /^examples\// },
]

/** Documents for those who work on Jurist: they have a menu of their own, which the page on contributing leads to. */
export const contributorGroups: typeof foundGroups = [
  { title: 'Take part', matches: /^(?:docs\/)?[A-Z]+\.md$|CHANGELOG\.md$/ },
  { title: 'Background', matches: /^docs\/[a-z][^/]*\.md$/ },
  { title: 'Design decisions', matches: /^docs\/decisions\// },
]
