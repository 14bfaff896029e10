import type { Plugin, PluginCommand, Subcommand, SubcommandGroup } from '@jurist/experiment/plugin'
import type { Host } from '../command-kit/host.js'
import type { Callable } from '../command-kit/subcommand.js'
import { partNamed } from '../config/plugins.js'

/** A subcommand of this package, or the package whose plug-in contains it. */
type Entry = PluginCommand<Host> | (() => Promise<{ readonly default: Plugin }>)

/** The subcommands of this version. Each is imported only when it is used. */
const catalog: Readonly<Record<string, Entry>> = {
  init: {
    summary: 'make a project that runs offline',
    load: async () => (await import('../commands/init/init.js')).init,
  },
  run: {
    summary: 'run experiments, one variant or all',
    load: async () => (await import('../commands/run/run.js')).run,
  },
  worker: {
    summary: 'run trials of distributed runs',
    load: async () => (await import('../commands/worker/worker.js')).worker,
  },
  workers: {
    summary: 'list the workers and what they run',
    load: async () => (await import('../commands/worker/workers.js')).workers,
  },
  merge: {
    summary: 'merge the shards of many machines into one run',
    load: async () => (await import('../commands/merge/merge.js')).merge,
  },
  list: {
    summary: 'list the runs in the store',
    load: async () => (await import('../commands/list.js')).list,
  },
  show: {
    summary: 'show a run, an item or a trial',
    load: async () => (await import('../commands/show/show.js')).show,
  },
  compare: {
    summary: 'compare two runs, with statistics',
    load: async () => (await import('../commands/compare.js')).compare,
  },
  rejudge: {
    summary: 'judge stored trials again, without the agent',
    load: async () => (await import('../commands/rejudge.js')).rejudge,
  },
  calibrate: {
    summary: 'measure a judge against labels',
    load: async () => (await import('../commands/calibrate/calibrate.js')).calibrate,
  },
  label: {
    summary: 'label stored trials by hand, blind',
    load: async () => (await import('../commands/label/label.js')).label,
  },
  'calibrate-cascade': {
    summary: 'certify how often a cascade may be wrong',
    load: async () => (await import('../commands/calibrate/calibrate-cascade.js')).calibrateCascade,
  },
  judge: {
    summary: 'judge a directory now',
    load: async () => (await import('../commands/judge.js')).judge,
  },
  hook: {
    summary: 'let a jury stop a coding agent',
    load: async () => (await import('../commands/hook/hook.js')).hook,
  },
  mcp: {
    summary: 'offer juries and results as tools for agents',
    load: async () => (await import('../commands/mcp/mcp.js')).mcp,
  },
  validate: {
    summary: 'check config and datasets, run nothing',
    load: async () => (await import('../commands/validate/validate.js')).validate,
  },
  schema: {
    summary: 'write the JSON Schema of the config, for editors',
    load: async () => (await import('../commands/validate/schema.js')).schema,
  },
  establish: {
    summary: 'check that each item can be solved and that its tests are reliable',
    load: async () => (await import('../commands/vet/establish.js')).establish,
  },
  probe: {
    summary: 'check that the jury stops agents that cheat',
    load: async () => (await import('../commands/vet/probe.js')).probe,
  },
  vet: {
    summary: 'check that a benchmark is sound: establish, probe and mutate',
    load: async () => (await import('../commands/vet/vet.js')).vet,
  },
  mutate: {
    summary: 'check that the jury notices small mistakes in right answers',
    load: async () => (await import('../commands/vet/mutate.js')).mutate,
  },
  import: () => import('@jurist/import'),
  export: {
    summary: 'write tables and reports',
    load: async () => (await import('../commands/export/export.js')).exportRuns,
  },
  bundle: {
    summary: 'pack runs into an archive with checksums',
    load: async () => (await import('../commands/bundle.js')).bundle,
  },
  store: {
    summary: 'check, copy and migrate results',
    load: async () => (await import('../commands/store/store.js')).store,
  },
  prune: {
    summary: 'remove old runs that nothing needs',
    load: async () => (await import('../commands/prune/prune.js')).prune,
  },
  completion: {
    summary: 'print the completion script for bash, zsh or fish',
    load: async () => (await import('../commands/completion/completion.js')).completion,
  },
  doctor: {
    summary: 'check this machine and project for missing requirements',
    load: async () => (await import('../commands/doctor/doctor.js')).doctor,
  },
  view: {
    summary: 'show runs on a page in the browser',
    load: async () => (await import('../commands/view.js')).view,
  },
}

export const commandNames: readonly string[] = Object.keys(catalog)

/**
 * Returns the subcommand with a name; `undefined` if it is unknown.
 *
 * @param plugins the plug-ins of the config
 */
export async function commandNamed(
  name: string,
  plugins: readonly Plugin[] = [],
): Promise<PluginCommand<Host> | undefined> {
  const entry = Object.hasOwn(catalog, name) ? catalog[name] : undefined
  if (typeof entry === 'object') return entry
  const command = partNamed(
    (entry === undefined ? plugins : [(await entry()).default]).map(({ commands }) => commands),
    name,
  )
  return command && { ...command, load: async () => withHost(await command.load()) }
}

/** The names of the subcommands that plug-ins add. */
export function addedNames(plugins: readonly Plugin[]): readonly string[] {
  const names = plugins.flatMap(({ commands = {} }) => Object.keys(commands))
  return names.filter((name) => !commandNames.includes(name))
}

/** Adapts a subcommand of a plug-in, which receives the host for plug-ins. */
function withHost<Called extends Subcommand | SubcommandGroup>(called: Called): Callable {
  if ('actions' in called) {
    const actions = Object.entries(called.actions).map(([name, { summary, action }]) => {
      return [name, { summary, action: commandWithHost(action) }] as const
    })
    return { ...called, actions: Object.fromEntries(actions) }
  }
  return commandWithHost(called)
}

function commandWithHost(called: Subcommand): Subcommand<Host> {
  const perform: Subcommand<Host>['perform'] = async (host, args, given) => {
    const { pluginHost } = await import('../command-kit/plugin-host.js')
    return called.perform(pluginHost(host), args, given)
  }
  return { ...called, perform }
}
