import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { counted, grouped } from '@jurist/experiment/internal/results'
import { type FlagValues, flag, repeatable, text, toggle, usageInvalid } from '@jurist/experiment/plugin'
import type { RunResult } from '@jurist/experiment/result'
import { fileStore } from '@jurist/experiment/store'
import { commandLine } from '@jurist/kit/command-line'
import type { BundleManifest } from '../../bundle/manifest.js'
import { extractBundle, readBundle } from '../../bundle/read-bundle.js'
import { collect, redactFiles, type SourceFile, writeBundle } from '../../bundle/write-bundle.js'
import { checkOutputFile, unwritten } from '../../command-kit/files.js'
import { findRun, resultsHolding } from '../../command-kit/find-run.js'
import { answer, type Host } from '../../command-kit/host.js'
import { makeParent, type Results, resultsOf } from '../../command-kit/results-store.js'
import { fileEndingIn, type Subcommand, subcommand } from '../../command-kit/subcommand.js'

const flags = {
  output: flag('-o, --output <file>', 'the archive (default: <run>.jurist.tgz)', fileEndingIn('.tgz')),
  workspaces: toggle('--workspaces', 'include the workspaces that were kept'),
  journals: toggle('--journals', 'include the journals'),
  redact: repeatable('--redact <pattern>', 'replace matches of this regular expression', pattern),
  verify: flag('--verify <file>', 'check an archive against its checksums; write nothing', text),
  extract: flag('--extract <file>', 'extract the runs of an archive into the results directory', text),
  to: flag('--to <dir>', 'with --extract: into this directory instead', text),
} as const

type BundleFlags = FlagValues<typeof flags>

export const bundle: Subcommand = subcommand({
  arguments: [['[run...]', 'runs, as for jurist show']],
  flags,
  examples: [
    'store bundle latest --journals --redact "sk-[A-Za-z0-9]+"',
    'store bundle --extract run.jurist.tgz --to results',
  ],
  check({ verify, extract, output, to }, problem, [texts]) {
    const modes = [verify, extract].filter((value) => value !== undefined).length + (texts.length > 0 ? 1 : 0)
    if (modes !== 1) problem('run', 'Name runs to bundle, or use --verify <file> or --extract <file>.')
    if (texts.length > 1 && output === undefined)
      problem('--output', 'An archive of several runs needs a name: -o <file>.')
    if (to !== undefined && extract === undefined) problem('--to', '--to needs --extract <file>. Add it.')
  },
  run(host, [texts], given) {
    if (given.verify !== undefined) return verify(host, given.verify)
    if (given.extract !== undefined) return extract(host, given.extract, given.to)
    return make(host, texts, given)
  },
})

function pattern(given: string, name: string): RegExp {
  try {
    return new RegExp(given, 'gu')
  } catch (thrown) {
    throw usageInvalid(name, `${name} must be a regular expression: ${(thrown as Error).message}.`)
  }
}

async function make(host: Host, texts: readonly string[], given: BundleFlags) {
  const { redact: patterns, journals, workspaces } = given
  const found = await resultsOf(host)
  const runs: RunResult[] = []
  const files: SourceFile[] = []
  let leftOut = 0
  for (const text of texts) {
    const results = await resultsHolding(found, text, host.cwd)
    const run = await findRun(results, text, host.cwd)
    if (run.status === 'running') throw usageInvalid('run', `Run ${run.id} is still running. Wait until it has ended.`)
    if (runs.some(({ id }) => id === run.id)) throw usageInvalid('run', `Run ${run.id} is named twice. Name it once.`)
    const of = await collect(await directoryOf(results, run), [run], { journals, workspaces })
    runs.push(run)
    files.push(...of.files)
    leftOut += of.leftOut
  }
  const name = given.output ?? `${runs[0]?.id}.jurist.tgz`
  await checkOutputFile(host, '--output', name)
  const output = resolve(host.cwd, name)
  const sorted = files.sort((a, b) => (a.path < b.path ? -1 : 1))
  let redacted: number
  try {
    await makeParent(output)
    redacted = await written(output, runs, sorted, patterns)
  } catch (thrown) {
    throw unwritten(name, thrown)
  }
  if (leftOut > 0) host.note(`warning: ${counted(leftOut, 'link')} or special files were left out.`)
  const { size } = await stat(output)
  const secrets = patterns.length === 0 ? '' : `, ${counted(redacted, 'match', 'matches')} redacted`
  answer(
    host,
    { file: output, runs: runs.map(({ id }) => id), files: files.length, size, redacted },
    `${relative(host.cwd, output)}: ${counted(runs.length, 'run')}, ${counted(files.length, 'file')}, ${grouped(size)} bytes${secrets}\n`,
  )
  return 0 as const
}

/** Writes the archive, from redacted copies if there are patterns. Returns the number of matches. */
async function written(
  output: string,
  runs: readonly RunResult[],
  files: readonly SourceFile[],
  patterns: readonly RegExp[],
): Promise<number> {
  const named = runs.map(({ id, experimentName, variant }) => ({ id, experimentName, variant }))
  named.sort((a, b) => (a.id < b.id ? -1 : 1))
  if (patterns.length === 0) {
    await writeBundle(output, { runs: named, redacted: 0 }, files)
    return 0
  }
  const directory = await mkdtemp(join(tmpdir(), 'jurist-bundle-'))
  try {
    const copies = await redactFiles(files, patterns, directory)
    for (const { id } of runs) await checkReadable(directory, id)
    await writeBundle(output, { runs: named, redacted: copies.redacted }, copies.files)
    return copies.redacted
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

/** A pattern that is too broad would make the record of the run unreadable. */
async function checkReadable(directory: string, id: string): Promise<void> {
  const run = await fileStore(directory)
    .load(id)
    .catch(() => undefined)
  if (run === undefined)
    throw usageInvalid('--redact', `The pattern replaces parts of the record of ${id} itself. Give a narrower one.`)
}

/**
 * Returns a results directory with a run: that of the store, or a temporary one with the record and the files of the
 * run.
 */
async function directoryOf(results: Results, run: RunResult): Promise<string> {
  if (results.directory !== undefined) return results.directory
  const directory = await results.filesOf(run)
  if (directory === undefined)
    throw usageInvalid('run', `${results.shown} keeps no files to bundle. Use a store of files: --results <dir>.`)
  const stored = await results.store.load(run.id)
  if (stored === undefined) throw usageInvalid('run', `Run ${run.id} was removed while it was bundled.`)
  await fileStore(directory).save(stored)
  return directory
}

async function verify(host: Host, file: string) {
  const manifest = await readBundle(await existing(host, file))
  report(host, manifest, `${file} is whole`)
  return 0 as const
}

async function extract(host: Host, file: string, to: string | undefined) {
  const path = await existing(host, file)
  const directory = to === undefined ? (await resultsOf(host)).directory : resolve(host.cwd, to)
  if (directory === undefined)
    throw usageInvalid('--to', 'The store of the config keeps no files. Name a directory: --to <dir>.')
  const manifest = await extractBundle(path, directory)
  report(host, manifest, `Extracted into ${relative(host.cwd, directory) || '.'}`)
  return 0 as const
}

async function existing(host: Host, file: string): Promise<string> {
  const path = resolve(host.cwd, file)
  const found = await stat(path).catch(() => undefined)
  if (found?.isFile() !== true)
    throw usageInvalid('file', `${file} does not exist. Make one: ${commandLine('store', 'bundle', 'RUN')}`)
  return path
}

function report(host: Host, { runs, files, redacted }: BundleManifest, sentence: string): void {
  const list = runs.map(({ id, experimentName }) => `${experimentName} ${id}`).join(', ')
  const text = `${sentence}: ${counted(files.length, 'file')} of ${counted(runs.length, 'run')}: ${list}\n`
  answer(host, { runs, files: files.length, redacted }, text)
}
