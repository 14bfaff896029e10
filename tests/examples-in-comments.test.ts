import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { examplesOf, type PublicName, publicDoors } from './structure/public-names.js'
import { root } from './structure/source.js'

/** Every public name once, however many doors export it. */
const names = [
  ...new Map(
    publicDoors()
      .flatMap(({ names }) => [...names.values()])
      .map((one): [string, PublicName] => [`${one.file} ${one.name}`, one]),
  ).values(),
]
/** Installed by `npm run test:long`. */
const frameworks = join(root, 'packages/bridges/frameworks/node_modules')
const label = ({ file, name }: PublicName) => `${file} ${name}`
const isValue = ({ declarations }: PublicName) => declarations.some(({ kind }) => kind === 'value')
const programsOf = ({ declarations }: PublicName) => declarations.flatMap(({ doc }) => examplesOf(doc))

describe('doc comments of public names', () => {
  test('every one has a doc comment', () => {
    const without = names.filter(({ declarations }) => declarations.every(({ doc }) => doc === ''))
    expect(without.map(label)).toEqual([])
  })

  test('every function, class and constant has an example', () => {
    expect(names.filter((one) => isValue(one) && programsOf(one).length === 0).map(label)).toEqual([])
  })

  test('every example compiles as a program', async () => {
    const compiled = names.filter((one) => one.package !== '@jurist/bridges' || existsSync(frameworks))
    const examples = compiled.flatMap((one) => programsOf(one).map((program) => ({ name: label(one), program })))
    expect(await problemsIn(examples)).toEqual([])
  })
})

/** Links every package that is installed in a directory, unless another version is linked already. */
function linkPackages(installed: string, into: string): void {
  if (!existsSync(installed)) return
  mkdirSync(into, { recursive: true })
  for (const name of readdirSync(installed)) {
    if (name.startsWith('@')) linkPackages(join(installed, name), join(into, name))
    else if (!existsSync(join(into, name))) symlinkSync(join(installed, name), join(into, name))
  }
}

interface Example {
  readonly name: string
  readonly program: string
}

/** Compiles the examples in one run, each as a separate module; returns what the compiler says, by name. */
async function problemsIn(examples: readonly Example[]): Promise<readonly string[]> {
  if (examples.length === 0) return []
  const directory = mkdtempSync(join(tmpdir(), 'jurist-examples-in-comments-'))
  try {
    for (const installed of [join(root, 'node_modules'), frameworks])
      linkPackages(installed, join(directory, 'node_modules'))
    writeFileSync(join(directory, 'package.json'), '{ "type": "module" }')
    writeFileSync(join(directory, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }))
    for (const [index, { program }] of examples.entries())
      writeFileSync(join(directory, `example${index}.ts`), `${program}\nexport {}\n`)
    const output = await compilerOutput(directory)
    return output.split('\n').flatMap((line) => {
      const [, index, place, problem] = /^example(\d+)\.ts(\(\d+,\d+\)): (.*)/.exec(line) ?? []
      if (index === undefined) return /\berror\b/.test(line) ? [line] : []
      return [`${examples[Number(index)]?.name} ${place}: ${problem}`]
    })
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

const compilerOptions = {
  target: 'ES2023',
  lib: ['ES2023', 'ESNext.Disposable', 'DOM'],
  module: 'nodenext',
  types: ['node'],
  strict: true,
  exactOptionalPropertyTypes: true,
  skipLibCheck: true,
  noEmit: true,
}

async function compilerOutput(cwd: string): Promise<string> {
  try {
    return (await promisify(execFile)(join(root, 'node_modules/.bin/tsc'), ['-p', '.'], { cwd })).stdout
  } catch (thrown) {
    return (thrown as { readonly stdout: string }).stdout
  }
}
