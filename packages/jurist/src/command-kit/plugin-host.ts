import { resultWithItems } from '@jurist/experiment/internal/results'
import type { CommandHost } from '@jurist/experiment/plugin'
import { loadConfig } from '../config/load-config.js'
import { vetProgress } from '../terminal/progress-view.js'
import { experimentsOf } from './configured-experiment.js'
import { findRun } from './find-run.js'
import { type Host, interruptible } from './host.js'
import { checkWritable, resultsOf } from './results-store.js'

/** Returns the environment for subcommands of plug-ins. */
export function pluginHost(host: Host): CommandHost {
  const { flags, terminal, cwd, json, note } = host
  return {
    ...{ flags, terminal, cwd, json, note },
    async results({ forWriting = false } = {}) {
      const results = await resultsOf(host)
      if (forWriting) await checkWritable(results)
      return results
    },
    async run(reference) {
      return resultWithItems(await findRun(await resultsOf(host), reference, cwd))
    },
    experiments: async (names = [], config) =>
      experimentsOf(config === undefined ? await host.config() : await loadConfig(config), names),
    progress: () => vetProgress(terminal, flags.quiet === true).show,
    interruptible: (onFirst, onSecond) => interruptible(host, onFirst, onSecond),
  }
}
