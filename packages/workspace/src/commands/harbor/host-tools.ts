import { execFile } from 'node:child_process'
import { realpath } from 'node:fs/promises'
import { promisify } from 'node:util'
import type { DockerLine } from './dockerfile.js'

const run = promisify(execFile)
/** Directories that hold nothing which a task needs. */
const caches = /^\/(?:var\/(?:lib\/apt\/lists|cache)|tmp|root\/\.cache)(?:\/|$)/

/** What this machine answered, by the question: tasks of one dataset mostly install the same. */
export type HostAnswers = Map<string, Promise<string | undefined>>

/** Why this machine does not have what a RUN installs; `undefined` when it has. */
export async function missingOnHost({ rest }: DockerLine, answers: HostAnswers): Promise<string | undefined> {
  if (/["'`$|<>(){}\\&;]/.test(rest.replaceAll('&&', '').replaceAll(';', '')))
    return 'what it does is not known without a container'
  for (const part of rest.split(/&&|;/)) {
    const words = part
      .trim()
      .split(/\s+/)
      .filter((word) => word !== '')
    while (/^[A-Z_][A-Z0-9_]*=[\w.-]*$/.test(words[0] ?? '')) words.shift()
    const missing = await missingOf(words, answers)
    if (missing !== undefined) return missing
  }
  return undefined
}

async function missingOf(
  [program = '', ...args]: readonly string[],
  answers: HostAnswers,
): Promise<string | undefined> {
  const plain = args.filter((word) => !word.startsWith('-'))
  if (program === '' || program === 'true' || program === ':') return undefined
  if (program === 'apt-get' || program === 'apt') {
    if (['update', 'clean', 'autoclean', 'autoremove'].includes(plain[0] ?? '')) return undefined
    if (plain[0] === 'install') return missingPackage(plain.slice(1), answers)
  }
  if (program === 'rm' && plain.every((path) => caches.test(path) && !path.includes('..'))) return undefined
  if (program === 'ln') return missingLink(args)
  const pip = pipArguments(program, args)
  if (pip !== undefined) return missingModule(pip, answers)
  return `what "${program}" does is not known without a container`
}

/** A link between absolute paths is there if both are the same file on this machine. */
async function missingLink(args: readonly string[]): Promise<string | undefined> {
  const [flag = '', target = '', link = '', ...rest] = args
  const isKnown = /^-(?:s|sf|fs|sfn)$/.test(flag) && target.startsWith('/') && link.startsWith('/') && rest.length === 0
  if (!isKnown) return 'what "ln" does is not known without a container'
  const [there, here] = await Promise.all([target, link].map((path) => realpath(path).catch(() => undefined)))
  return there !== undefined && there === here ? undefined : `${link} is not ${target} on this machine`
}

async function missingPackage(packages: readonly string[], answers: HostAnswers): Promise<string | undefined> {
  for (const given of packages) {
    const [name = '', version] = given.split('=', 2)
    const found = (await answerOf(answers, 'dpkg', ['-s', '--', name])) ?? ''
    const [, status] = /^Status: .* (\S+)$/m.exec(found) ?? []
    const [, installed] = /^Version: (.+)$/m.exec(found) ?? []
    if (status !== 'installed') return `the package ${name} is not installed on this machine`
    if (version !== undefined && version !== installed)
      return `the package ${name} ${version} is not installed on this machine (${installed} is)`
  }
  return undefined
}

/** The arguments of `pip install`, in one of its spellings. */
function pipArguments(program: string, args: readonly string[]): readonly string[] | undefined {
  const words = /^python3?$/.test(program) && args[0] === '-m' ? args.slice(1) : [program, ...args]
  return /^pip3?$/.test(words[0] ?? '') && words[1] === 'install' ? words.slice(2) : undefined
}

const plainFlags = new Set(['--no-cache-dir', '--break-system-packages', '--upgrade', '-U', '-q', '--quiet', '--user'])
const versionScript = 'import sys, importlib.metadata as m\nprint(m.version(sys.argv[1]))'

async function missingModule(args: readonly string[], answers: HostAnswers): Promise<string | undefined> {
  for (const given of args) {
    if (plainFlags.has(given)) continue
    const [, name, version] = /^([A-Za-z0-9][\w.-]*)(?:==([\w.]+))?$/.exec(given) ?? []
    if (name === undefined) return `what pip does with "${given}" is not known without a container`
    const installed = await answerOf(answers, '/usr/bin/python3', ['-c', versionScript, name])
    if (installed === undefined) return `the Python package ${name} is not installed on this machine`
    if (version !== undefined && version !== installed)
      return `the Python package ${name} ${version} is not installed on this machine (${installed} is)`
  }
  return undefined
}

function answerOf(answers: HostAnswers, program: string, args: readonly string[]): Promise<string | undefined> {
  const question = [program, ...args].join('\n')
  const known = answers.get(question)
  if (known !== undefined) return known
  const answer = run(program, args, { timeout: 30_000 }).then(
    ({ stdout }) => stdout.trim(),
    () => undefined,
  )
  answers.set(question, answer)
  return answer
}
