import type { JsonObject, Judge } from '@jurist/core'
import type { JudgeModel } from '@jurist/core/llm'
import type { ResultStore } from '../store/store.js'
import type { CommandHost, ExitCode } from './host.js'
import type { CommandHelp, Subcommand } from './subcommand.js'

/** A part of a subcommand with its own flags and help, such as `jurist hook install`. */
export interface PluginAction<Host = CommandHost> {
  readonly summary: string
  /** Called when the action is used. */
  readonly load: () => Promise<Subcommand<Host>>
  /** The exit code where another program gives its own meaning to ours. */
  readonly exitCode?: (code: ExitCode) => ExitCode
}

/** A subcommand that a package adds: help and completion know its line, and those of its actions, before it is loaded. */
export interface PluginCommand<Host = CommandHost> extends Partial<PluginAction<Host> & CommandHelp> {
  readonly summary: string
  /** Called when the subcommand is used without an action. Default: an action is required. */
  readonly load?: PluginAction<Host>['load']
  /** Keyed by name. An action is the word right after the subcommand. */
  readonly actions?: Readonly<Record<string, PluginAction<Host>>>
}

/** An option of a judge, for those who write a config. */
export interface PluginOption {
  /** Its meaning, in a sentence. */
  readonly description: string
  /** The JSON Schema of its value, for editors. Default: anything. */
  readonly schema?: JsonObject
}

/** The config that describes a judge: its paths are relative to the config file. */
export interface PluginConfig {
  /** The absolute form of a path. */
  path(path: string): string
  /** The model that an option means: a name of the config's `models`, or a description of one. */
  model(value: unknown): JudgeModel
}

/** A judge that configs in YAML and JSON describe by its `type`. Items of a dataset may do so where they are trusted. */
export interface PluginJudge {
  /** When the judge passes: completes "Passes when …". */
  readonly passes: string
  /** Keys that a config may have besides `type`. */
  readonly options: Readonly<Record<string, PluginOption>>
  /** Options that a config must give. */
  readonly required?: readonly string[]
  readonly make: (options: Readonly<Record<string, unknown>>, config: PluginConfig) => Judge | Promise<Judge>
}

/**
 * The additions of a package to the command: its default export. A config names the package in `plugins`. Built-in names
 * take precedence: a plug-in replaces none.
 */
export interface Plugin {
  /** Subcommands by name. */
  readonly commands?: Readonly<Record<string, PluginCommand>>
  /** Judges by the `type` of a config in YAML or JSON. */
  readonly judges?: Readonly<Record<string, PluginJudge>>
  /** Stores by the scheme of their addresses: `redis` opens `redis://host/name` of `--results` and of the config's `store`. */
  readonly stores?: Readonly<Record<string, (address: string) => ResultStore | Promise<ResultStore>>>
}

/**
 * Gives a plug-in its type. Returns it unchanged.
 *
 * @example
 * import { definePlugin, subcommand } from 'jurist/plugin'
 *
 * const hello = subcommand({
 *   ...{ arguments: [], flags: {}, examples: ['hello'] },
 *   async run({ terminal }) {
 *     terminal.out('Hello.\n')
 *     return 0
 *   },
 * })
 *
 * export default definePlugin({ commands: { hello: { summary: 'say hello', load: async () => hello } } })
 */
export function definePlugin(plugin: Plugin): Plugin {
  return plugin
}
