import { join } from 'node:path'
import { counted } from '@jurist/experiment/internal/results'
import { flag } from '@jurist/experiment/plugin'
import { commandLine } from '@jurist/kit/command-line'
import { safeLine } from '@jurist/kit/terminal'
import { experimentsOf } from '../../command-kit/configured-experiment.js'
import { answer, ended, type Host } from '../../command-kit/host.js'
import { checkWritable, resultsOf } from '../../command-kit/results-store.js'
import { openedDataset } from '../../command-kit/selection.js'
import { milliseconds, type Subcommand, subcommand } from '../../command-kit/subcommand.js'
import { oldSchema, schemaFile, schemaRemedy, schemaState } from '../../config/config-schema.js'
import { findConfig, type LoadedConfig } from '../../config/load-config.js'
import { documentValue } from '../../config/read-document.js'
import {
  type Check,
  configNeeds,
  diskFinding,
  type Finding,
  findingsOf,
  gitCheck,
  nodeCheck,
  processCheck,
  proved,
  sandboxChecks,
} from './checks.js'

export const doctor: Subcommand = subcommand({
  arguments: [],
  flags: {
    timeout: flag('--timeout <duration>', 'time limit for each check, such as 30s (default: 8s)', milliseconds, {
      default: 8_000,
    }),
  },
  note: `Looks at Node, git, sandboxes, the config with its datasets, the keys that it names (never their values), the results and the
disk. Ends with exit code 1 when something that the config needs is missing.`,
  examples: ['doctor', '-c evals/jurist.config.yaml doctor'],
  async run(host, _, { timeout }) {
    const file = await findConfig(host.cwd, host.flags.config)
    const { keys, sandboxes } = configNeeds(file === undefined ? undefined : await documentValue(file))
    const findings = await findingsOf(
      [
        nodeCheck,
        gitCheck,
        processCheck,
        ...sandboxChecks(sandboxes),
        configCheck(host),
        keyCheck(host, keys),
        ...resultsChecks(host),
      ],
      timeout,
    )
    const missing = findings.filter(({ state }) => state === 'missing').length
    answer(host, { findings, missing }, `${reportOf(host, findings)}\n`)
    return ended(host, missing > 0 ? 1 : 0, `${counted(missing, 'thing')} missing`)
  },
})

/** Checks the config, its experiments with their datasets, and the schema next to it. */
function configCheck(host: Host): Check {
  const what = 'config'
  return {
    what,
    async look() {
      const loaded = await host.configIfAny()
      if (loaded === undefined)
        return [{ what, state: 'warning', detail: 'not found', remedy: `Make a project: ${commandLine('init')}` }]
      const isOld = (await schemaState(join(loaded.directory, schemaFile), loaded.plugins)) === 'old'
      const old: Finding = { what: schemaFile, state: 'warning', detail: oldSchema, remedy: schemaRemedy() }
      const names = Object.keys(loaded.config.experiments ?? {})
      const datasets = await Promise.all(names.map((name) => datasetFinding(loaded, name)))
      const lists = await Promise.all(names.map((name) => egressFinding(loaded, name)))
      return [{ what, state: 'ok', detail: loaded.file }, ...datasets, ...lists.flat(), ...(isOld ? [old] : [])]
    },
  }
}

async function datasetFinding(loaded: LoadedConfig, name: string): Promise<Finding> {
  const what = `dataset of ${name}`
  try {
    const [experiment] = await experimentsOf(loaded, [name])
    if (experiment === undefined) return { what, state: 'missing', detail: 'the experiment cannot be read' }
    const { entries } = await openedDataset(experiment)
    return { what, state: 'ok', detail: counted(entries.length, 'item') }
  } catch (thrown) {
    const detail = thrown instanceof Error ? thrown.message : String(thrown)
    return { what, state: 'missing', detail, remedy: `All problems: ${commandLine('validate')}` }
  }
}

/** Tries the allow-list of an experiment; nothing without one. */
async function egressFinding(loaded: LoadedConfig, name: string): Promise<readonly Finding[]> {
  const what = `egress of ${name}`
  const [experiment] = await experimentsOf(loaded, [name]).catch(() => [])
  if (experiment?.provision?.network === undefined) return []
  try {
    await experiment.provision.isolation?.()
    return [{ what, state: 'ok', detail: proved }]
  } catch (thrown) {
    return [{ what, state: 'missing', detail: thrown instanceof Error ? thrown.message : String(thrown) }]
  }
}

/** Checks whether the variables have values, after reading the config's file of variables. */
function keyCheck(host: Host, names: readonly string[]): Check {
  return {
    what: 'keys',
    async look() {
      await host.configIfAny().catch(() => undefined)
      return names.map((name): Finding => {
        const what = `key ${name}`
        if ((process.env[name] ?? '') !== '') return { what, state: 'ok', detail: 'set' }
        const remedy = `Set ${name}, or write it into a file and name that: --env-file .env`
        return { what, state: 'missing', detail: 'not set', remedy }
      })
    },
  }
}

function resultsChecks(host: Host): readonly Check[] {
  const what = 'results'
  return [
    {
      what,
      async look() {
        const results = await resultsOf(host)
        await checkWritable(results)
        // Listing a run connects to a database and checks the version of its tables.
        for await (const _ of results.store.list({ limit: 1 })) break
        const disk = results.directory === undefined ? [] : [await diskFinding(results.directory)]
        return [{ what, state: 'ok', detail: results.shown }, ...disk]
      },
    },
  ]
}

function reportOf({ terminal }: Host, findings: readonly Finding[]): string {
  const width = Math.max(...findings.map(({ what }) => what.length))
  const { style } = terminal
  const states = { ok: style.green('ok     '), warning: style.yellow('warning'), missing: style.red('missing') }
  return findings
    .flatMap(({ what, state, detail, remedy }) => [
      `${states[state]}  ${safeLine(what).padEnd(width)}  ${safeLine(detail)}`,
      ...(remedy === undefined ? [] : [`${' '.repeat(width + 11)}${safeLine(remedy)}`]),
    ])
    .join('\n')
}
