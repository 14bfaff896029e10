import { createRequire } from 'node:module'
import { usageInvalid } from '../config/problems.js'
import { hidesTests } from '../hook/pinned-config.js'
import { judgedVerdicts } from '../mcp/judged-verdicts.js'
import { serve } from '../mcp/serve.js'
import type { ExitCode } from './failure-report.js'
import { findRun } from './find-run.js'
import type { FlagValues } from './flags.js'
import type { Host } from './host.js'
import { mcpFlags } from './mcp-flags.js'
import { ownStdout } from './own-stdout.js'
import { resultsOf } from './results-store.js'
import { type Subcommand, subcommand } from './subcommand.js'

/** `jurist mcp`. */
export const mcpServe: Subcommand = subcommand({
  arguments: [],
  flags: mcpFlags,
  examples: ['mcp', 'mcp serve --allow-commands'],
  note:
    'Tools: list_juries, judge, explain, list_runs, show_trial, compare. Resources: jurist://runs/<id>. Nothing is changed.\n' +
    'Directories must be within the roots of the client, or within this directory if it names none.',
  run: (host, _, read) => answerClient(host, read),
})

async function answerClient(host: Host, { allowCommands, reveal }: FlagValues<typeof mcpFlags>): Promise<ExitCode> {
  using stdout = ownStdout()
  // The config that the server began with answers, whatever happens to its file.
  const config = host.config()
  const results = config.then(() => resultsOf(host))
  const hides = await config.then(hidesTests).catch(() => true)
  void results.catch(() => undefined)
  await serve({
    version: createRequire(import.meta.url)('jurist/package.json').version,
    cwd: host.cwd,
    input: process.stdin,
    send: stdout.write,
    place: {
      config: () => config,
      store: async () => (await results).store,
      findRun: async (text) => findRun(await results, plainName(text), host.cwd),
      allowCommands,
      reveal: reveal ?? (hides ? 'names' : 'reasons'),
      judged: judgedVerdicts(),
    },
  })
  return 0
}

/** A path would lead out of the results. */
function plainName(text: string): string {
  if (!/[/\\]|\.tgz$/.test(text)) return text
  throw usageInvalid('run', 'A run has an id, such as 20261121T091500123Z-4kq7rm; see list_runs.')
}
