import { cpSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Fence, fencesOf } from './packages/fences.js'
import {
  asked,
  clone,
  firstLine,
  installPacked,
  isShell,
  javaScriptOf,
  missingLines,
  newProject,
  notWalked,
  removePacked,
  repository,
  section,
  shell,
  walk,
  write,
} from './packages/packed-walk.js'
import { personas } from './packages/personas.js'
import { root } from './structure/source.js'

beforeAll(installPacked)
afterAll(removePacked)

describe('as written, in new directories, with the packed packages', () => {
  test('the first program runs, and the README shows what `jurist show` says of it', async () => {
    const directory = join(newProject('first'), 'first')
    cpSync(join(root, 'examples/first'), directory, { recursive: true })
    const blocks = section('README.md', '## The first program')
    const [program, agent] = blocks.filter(({ language }) => language === 'ts')
    for (const [name, code] of [
      ['main', program?.code ?? ''],
      ['my-agent', agent?.code ?? ''],
    ] as const)
      writeFileSync(join(directory, `${name}.mjs`), await javaScriptOf(code.replace('./my-agent.js', './my-agent.mjs')))
    const { printed } = await shell('node main.mjs && npx jurist show latest adder', directory)
    expect(printed).toMatch(/^\d of \d decided items passed\n/)
    const [shown] = blocks.filter(({ language }) => language === '')
    expect(missingLines(shown?.code ?? 'There is no block.', printed), printed).toEqual([])
  })

  test('the guide of hidden tests runs its example', async () => {
    await walk(fencesOf('docs/guide/hidden-tests.md'), clone)
  })

  test('the guide of rows judges its files', async () => {
    await walk(fencesOf('docs/guide/datasets.md'), newProject('rows'))
  })

  test('the guide of own repositories has the commands of the README', () => {
    const commands = (fences: readonly Fence[]) =>
      fences.filter(isShell).flatMap(({ code }) => code.split('\n').map((line) => line.replace(/\s+#.*/, '')))
    const walked = commands(section('README.md', '## A benchmark of your own repository'))
    const fences = fencesOf('docs/guide/own-repository.md').filter((fence) => notWalked[firstLine(fence)] === undefined)
    expect(fences.every(isShell)).toBe(true)
    expect(walked).toEqual(expect.arrayContaining([...commands(fences)]))
  })

  test('the guide of hooks installs them, and its jury sends an agent back', async () => {
    const directory = newProject('hooks')
    repository(directory)
    const fences = fencesOf('docs/guide/hooks.md')
    const config = fences.find(({ language }) => language === 'yaml')
    const reason = fences.find(({ language }) => language === '')
    write(directory, { 'jurist.config.yaml': config?.code ?? '' })
    const [install, lists, ...others] = fences.filter(isShell)
    await walk(install === undefined ? [] : [install], directory)
    await asked(directory, 'SessionStart')
    const stopped = await asked(directory, 'Stop')
    expect(missingLines(reason?.code ?? '', stopped.reason ?? '')).toEqual([])
    // `jurist view` serves until it is interrupted.
    const listed = { ...lists, code: lists?.code.replace(/^npx jurist view$/m, '') ?? '' } as Fence
    await walk([listed, ...others], directory)
  })
})

personas()
