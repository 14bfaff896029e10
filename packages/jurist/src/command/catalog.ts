import type { Subcommand } from './subcommand.js'

interface Entry {
  readonly summary: string
  readonly load: () => Promise<Subcommand>
}

/** The subcommands of this version. Each is imported only when it is used. */
export const catalog: Readonly<Record<string, Entry>> = {
  init: {
    summary: 'make a project that runs offline',
    load: async () => (await import('./init.js')).init,
  },
  run: {
    summary: 'run experiments, one variant or all',
    load: async () => (await import('./run.js')).run,
  },
  worker: {
    summary: 'run trials of distributed runs',
    load: async () => (await import('./worker.js')).worker,
  },
  workers: {
    summary: 'which workers are there, and what they run',
    load: async () => (await import('./workers.js')).workers,
  },
  merge: {
    summary: 'one run of the shards of many machines',
    load: async () => (await import('./merge.js')).merge,
  },
  list: {
    summary: 'what the store holds',
    load: async () => (await import('./list.js')).list,
  },
  show: {
    summary: 'one run, one trial',
    load: async () => (await import('./show.js')).show,
  },
  compare: {
    summary: 'difference of two runs, with statistics',
    load: async () => (await import('./compare.js')).compare,
  },
  rejudge: {
    summary: 'judge stored trials again, without the agent',
    load: async () => (await import('./rejudge.js')).rejudge,
  },
  calibrate: {
    summary: 'measure a judge against labels',
    load: async () => (await import('./calibrate.js')).calibrate,
  },
  label: {
    summary: 'label stored trials by hand, blind',
    load: async () => (await import('./label.js')).label,
  },
  'calibrate-cascade': {
    summary: 'certify how often a cascade may be wrong',
    load: async () => (await import('./calibrate-cascade.js')).calibrateCascade,
  },
  judge: {
    summary: 'judge a directory now',
    load: async () => (await import('./judge.js')).judge,
  },
  hook: {
    summary: 'let a jury stop a coding agent',
    load: async () => (await import('./hook.js')).hook,
  },
  mcp: {
    summary: 'juries and results as tools for agents',
    load: async () => (await import('./mcp.js')).mcp,
  },
  validate: {
    summary: 'check config and datasets, run nothing',
    load: async () => (await import('./validate.js')).validate,
  },
  schema: {
    summary: 'write the JSON Schema of the config, for editors',
    load: async () => (await import('./schema.js')).schema,
  },
  establish: {
    summary: 'which items can be solved, and how sure are their tests?',
    load: async () => (await import('./establish.js')).establish,
  },
  probe: {
    summary: 'agents that cheat: does a jury let them through?',
    load: async () => (await import('./probe.js')).probe,
  },
  vet: {
    summary: 'is this benchmark sound? establish, probe and mutate, on one card',
    load: async () => (await import('./vet.js')).vet,
  },
  mutate: {
    summary: 'right answers with small mistakes: does a jury notice them?',
    load: async () => (await import('./mutate.js')).mutate,
  },
  import: {
    summary: 'a project of a git history, or of a suite of another tool',
    load: async () => (await import('./import.js')).importSuite,
  },
  export: {
    summary: 'tables and reports',
    load: async () => (await import('./export.js')).exportRuns,
  },
  bundle: {
    summary: 'one archive with checksums',
    load: async () => (await import('./bundle.js')).bundle,
  },
  store: {
    summary: 'check, copy and migrate results',
    load: async () => (await import('./store.js')).store,
  },
  prune: {
    summary: 'remove old runs that nothing needs',
    load: async () => (await import('./prune.js')).prune,
  },
  completion: {
    summary: 'complete the command in bash, zsh or fish',
    load: async () => (await import('./completion.js')).completion,
  },
  doctor: {
    summary: 'what is missing on this machine and in this project',
    load: async () => (await import('./doctor.js')).doctor,
  },
  view: {
    summary: 'show runs on a page in the browser',
    load: async () => (await import('./view.js')).view,
  },
}
