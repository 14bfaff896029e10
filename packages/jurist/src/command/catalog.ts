import type { Plugin, PluginAction, PluginCommand, Subcommand } from '@jurist/experiment/plugin'
import type { Host } from '../command-kit/host.js'
import type { Moment } from '../commands/hook/clients.js'
import { partNamed } from '../config/plugins.js'

/** A subcommand of this package, or the package whose plug-in contains it. */
type Entry = PluginCommand<Host> | (() => Promise<{ readonly default: Plugin }>)

/** The subcommands of this version with their actions. Each is imported only when it is used. */
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
    actions: {
      list: {
        summary: 'list the workers and what they run',
        load: async () => (await import('../commands/worker/list-workers.js')).listWorkers,
      },
    },
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
  bisect: {
    summary: 'find the commit since which items fail more often',
    load: async () => (await import('../commands/bisect/bisect.js')).bisect,
  },
  lift: {
    summary: 'measure whether a skill helps an agent',
    load: async () => (await import('../commands/lift/lift.js')).lift,
  },
  ratchet: {
    summary: 'keep only changes of a self-improving agent that hold on hidden items',
    actions: {
      init: {
        summary: 'divide the items, copy what judges, and measure the start',
        load: async () => (await import('../commands/ratchet/ratchet.js')).initRatchet,
      },
      try: {
        summary: 'called by the agent: try the version in the work tree',
        load: async () => (await import('../commands/ratchet/ratchet.js')).tryRatchet,
        // Of a try, 1 says that it was not accepted, and everything else that it could not begin.
        exitCode: (code) => (code === 2 ? 3 : code),
      },
      report: {
        summary: 'what was kept, and the gain on items that decided nothing',
        load: async () => (await import('../commands/ratchet/ratchet.js')).reportRatchet,
      },
      renew: {
        summary: 'go on with hidden items that were never used',
        load: async () => (await import('../commands/ratchet/ratchet.js')).renewRatchet,
      },
      show: {
        summary: 'show the hidden trials of a look, to you',
        load: async () => (await import('../commands/ratchet/ratchet.js')).showRatchet,
      },
    },
    examples: ['ratchet init repair --editable prompts --hidden 200', 'ratchet try', 'ratchet report'],
    note: 'The agent learns one bit of each look at the hidden items. The level of each answer counts how often was asked.',
  },
  scan: {
    summary: 'find what agents did that a pass should not rest on',
    load: async () => (await import('../commands/scan/scan.js')).scan,
  },
  rejudge: {
    summary: 'judge stored trials again, without the agent',
    load: async () => (await import('../commands/rejudge.js')).rejudge,
  },
  promote: {
    summary: 'make an item of a dataset from a failed trial',
    load: async () => (await import('../commands/promote/promote.js')).promote,
  },
  calibrate: {
    summary: 'measure a judge against labels, or certify a cascade',
    load: async () => (await import('../commands/calibrate/calibrate.js')).calibrate,
  },
  label: {
    summary: 'label stored trials by hand, blind',
    load: async () => (await import('../commands/label/label.js')).label,
  },
  judge: {
    summary: 'judge a directory now',
    load: async () => (await import('../commands/judge.js')).judge,
  },
  hook: {
    summary: 'let a jury stop a coding agent',
    actions: {
      install: {
        summary: 'write the settings of a coding agent',
        load: async () => (await import('../commands/hook/hook.js')).hookInstall,
      },
      accept: {
        summary: 'accept a config that differs from the one that judged before',
        load: async () => (await import('../commands/hook/hook.js')).hookAccept,
      },
      start: {
        summary: 'run by a hook when a session starts: keeps a copy of the config',
        ...answering('start'),
      },
      stop: {
        summary: 'run by a hook when the agent wants to stop: judges',
        ...answering('stop'),
      },
      edit: {
        summary: 'run by a hook after an edit: judges',
        ...answering('edit'),
      },
    },
    examples: ['hook install claude', 'hook install codex --jury done --max 2', 'hook install --help'],
    note:
      'A jury that fails sends the agent back with the reasons. The config is copied when a session starts, so that the agent\n' +
      'cannot change what judges it. Only a failing jury blocks: a broken one ends with exit code 3 and lets the agent stop.',
  },
  mcp: {
    summary: 'offer juries and results as tools for agents',
    load: async () => (await import('../commands/mcp/mcp.js')).mcp,
    actions: {
      install: {
        summary: 'write the settings of a coding agent',
        load: async () => (await import('../commands/mcp/mcp.js')).mcpInstall,
      },
    },
  },
  validate: {
    summary: 'check config and datasets, run nothing',
    load: async () => (await import('../commands/validate/validate.js')).validate,
  },
  vet: {
    summary: 'check that a benchmark is sound: establish, probe and mutate',
    load: async () => (await import('../commands/vet/vet.js')).vet,
    actions: {
      establish: {
        summary: 'check only whether each item can be solved and its tests are reliable',
        load: async () => (await import('../commands/vet/establish.js')).establish,
      },
      probe: {
        summary: 'check only whether the jury stops agents that cheat',
        load: async () => (await import('../commands/vet/probe.js')).probe,
      },
      mutate: {
        summary: 'check only whether the jury notices small mistakes in right answers',
        load: async () => (await import('../commands/vet/mutate.js')).mutate,
      },
    },
  },
  import: () => import('@jurist/import'),
  export: {
    summary: 'write tables and reports',
    load: async () => (await import('../commands/export/export.js')).exportRuns,
  },
  store: {
    summary: 'merge, pack, check, copy, migrate and prune results',
    actions: {
      merge: {
        summary: 'merge the shards of many machines into one run',
        load: async () => (await import('../commands/store/merge.js')).merge,
      },
      bundle: {
        summary: 'pack runs into an archive with checksums, or extract one',
        load: async () => (await import('../commands/store/bundle.js')).bundle,
      },
      check: {
        summary: 'read every run and every kept file',
        load: async () => (await import('../commands/store/check.js')).check,
      },
      copy: {
        summary: 'copy runs to or from a database',
        load: async () => (await import('../commands/store/copy.js')).copy,
      },
      migrate: {
        summary: 'bring the tables of an older version up to date',
        load: async () => (await import('../commands/store/migrate.js')).migrate,
      },
      prune: {
        summary: 'remove old runs that nothing needs',
        load: async () => (await import('../commands/store/prune.js')).prune,
      },
    },
    examples: ['store merge shards/* --threshold 80%', 'store prune --keep 20', 'store merge --help'],
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

function answering(moment: Moment): Pick<PluginAction<Host>, 'load' | 'exitCode'> {
  return {
    load: async () => (await import('../commands/hook/hook.js')).answerHook(moment),
    // Coding agents interpret exit code 2 as a block.
    exitCode: (code) => (code === 2 ? 3 : code),
  }
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
  return command && withHost(command)
}

/** The names of the subcommands that plug-ins add. */
export function addedNames(plugins: readonly Plugin[]): readonly string[] {
  const names = plugins.flatMap(({ commands = {} }) => Object.keys(commands))
  return names.filter((name) => !commandNames.includes(name))
}

/** The built-in subcommand with an action of this name, as `vet` for `probe`. */
export function commandWithAction(action: string): string | undefined {
  return commandNames.find((name) => {
    const entry = catalog[name]
    return typeof entry === 'object' && Object.hasOwn(entry.actions ?? {}, action)
  })
}

/** Adapts a subcommand of a plug-in, which receives the host for plug-ins. */
function withHost({ load, actions = {}, ...command }: PluginCommand): PluginCommand<Host> {
  const adapted = Object.entries(actions).map(([name, action]) => [name, { ...action, ...loading(action.load) }])
  return { ...command, ...(load && loading(load)), actions: Object.fromEntries(adapted) }
}

function loading(load: PluginAction['load']): Pick<PluginAction<Host>, 'load'> {
  return {
    async load() {
      const called = await load()
      const perform: Subcommand<Host>['perform'] = async (host, args, given) => {
        const { pluginHost } = await import('../command-kit/plugin-host.js')
        return called.perform(pluginHost(host), args, given)
      }
      return { ...called, perform }
    },
  }
}
