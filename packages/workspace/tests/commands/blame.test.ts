import { execFileSync } from 'node:child_process'
import { mkdirSync, renameSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import {
  fileContent,
  fileExists,
  type Judge,
  type Judgment,
  jury,
  not,
  outputText,
  runJudge,
  supersetOf,
} from '@jurist/core'
import { judgedWorkspace } from '@jurist/core/internal'
import { memoryWorkspace } from '@jurist/core/testing'
import { buildSucceeds, classVersion, commandSucceeds, testsPass } from '@jurist/workspace/commands'
import { coverageAtLeast, coverageImproved, coveragePreserved } from '@jurist/workspace/coverage'
import { javaFile, jsonFile, matchesReference, scriptFile, textFile, xmlFile, yamlFile } from '@jurist/workspace/files'
import { temporaryWorkspace } from '@jurist/workspace/testing'
import { describe, expect, test } from 'vitest'

/** What an agent may leave at a place where a file is judged. */
const leftovers: { readonly [name: string]: (place: string) => unknown } = {
  nothing: () => undefined,
  'a directory': (place) => mkdirSync(place),
  'a FIFO': (place) => execFileSync('mkfifo', [place]),
  'a socket': (place) =>
    new Promise<void>((resolve) => {
      const server = createServer().listen(place, () => resolve())
      server.unref()
    }),
  'NUL bytes': (place) => writeFileSync(place, 'x\0'),
  'bad UTF-8': (place) => writeFileSync(place, Uint8Array.of(0x66, 0xff)),
  'a link out': (place) => symlinkSync('/etc/hostname', place),
  'a link to a link to itself': (place) => symlinkSync(place, place),
  'a sparse file of 300 MiB': (place) => {
    writeFileSync(place, '')
    truncateSync(place, 300 * 1024 ** 2)
  },
  'no workspace at all': (place) => rmSync(dirname(place), { recursive: true }),
  'a file where the directory was': (place) => {
    rmSync(dirname(place), { recursive: true })
    writeFileSync(dirname(place), 'x')
  },
  'a link to the right answer where the directory was': (place) => {
    const right = `${dirname(place)}/right`
    mkdirSync(right)
    writeFileSync(join(right, 'answer'), 'right')
    renameSync(dirname(place), `${dirname(place)}.moved`)
    symlinkSync(`${dirname(place)}.moved/right`, dirname(place))
  },
}

const custom: Judge = async ({ workspace }) => (await workspace.read('answer')) === 'right'
const everyText: Judge = async ({ workspace }) => {
  for await (const { path, type } of workspace.list()) if (type !== 'directory') await workspace.read(path)
  return (await workspace.read('answer')) === 'right'
}

/** Judges that look at the file `answer`, or at the tree that contains it. */
const judges: { readonly [name: string]: Judge } = {
  fileExists: fileExists('answer', { type: 'file' }),
  fileContent: fileContent('answer', { equals: 'right' }),
  supersetOf: supersetOf(),
  matchesReference: matchesReference(),
  'matchesReference, nothing more': matchesReference({ extra: 'forbid', executable: 'compare' }),
  textFile: textFile('answer'),
  jsonFile: jsonFile('answer'),
  javaFile: javaFile('answer'),
  scriptFile: scriptFile('answer'),
  xmlFile: xmlFile('answer'),
  yamlFile: yamlFile('answer'),
  coverageAtLeast: coverageAtLeast(0, { report: 'answer' }),
  coveragePreserved: coveragePreserved({ report: 'answer', baseline: 0, maxDrop: 100 }),
  coverageImproved: coverageImproved({ report: 'answer', baseline: 0 }),
  'coverage by a glob': coverageAtLeast(0, { report: 'ans*' }),
  classVersion: classVersion({ expected: 61, roots: ['.'] }),
  custom,
  everyText,
}

const isSound = (judgment: Judgment) => judgment.status === 'fail' && judgment.checks.some(({ passed }) => !passed)

describe.each(Object.keys(leftovers))('%s', (leftover) => {
  test('fails every judge that looks at it, alone and in a jury, and none turns that around', async () => {
    await using workspace = await temporaryWorkspace({ 'a.txt': 'x' })
    await leftovers[leftover]?.(join(workspace.root, 'answer'))
    const context = { workspace, status: 'success' as const, reference: memoryWorkspace({ answer: 'right' }) }
    for (const [name, judge] of Object.entries(judges)) {
      // A file that merely exists does; fileExists judges nothing else of it.
      const exists = name === 'fileExists' && /NUL|UTF-8|sparse/.test(leftover)
      const judgment = await runJudge(judge, context, { timeoutMs: 60_000 })
      expect([name, judgment.reasoning, exists ? judgment.status === 'pass' : isSound(judgment)]).toEqual([
        name,
        expect.any(String),
        true,
      ])
    }
    const verdict = await jury({ judges: { file: custom, exists: () => true } }).vote(context)
    expect(verdict.aggregated.status).toBe('fail')
    if (leftover !== 'nothing')
      expect((await runJudge(not(fileContent('answer', { contains: 'TODO' })), context)).status).not.toBe('error')
  })
})

describe('trees', () => {
  /** Deeper than a path may be long. */
  const deepen = ({ root }: { readonly root: string }) => {
    const half = Array.from({ length: 25 }, () => 'd'.repeat(100)).join('/')
    for (const name of ['one', 'other']) mkdirSync(join(root, name, half), { recursive: true })
    renameSync(join(root, 'other'), join(root, 'one', half, 'other'))
  }
  const remove = ({ root }: { readonly root: string }) => execFileSync('rm', ['-rf', root])

  test('that are too deep fail every judge that lists them', async () => {
    await using workspace = await temporaryWorkspace({ answer: 'right' })
    deepen(workspace)
    const context = { workspace, reference: memoryWorkspace({ answer: 'right' }) }
    const listing: Judge = async ({ workspace }) => {
      for await (const { path } of workspace.list()) if (path === 'none') return false
      return true
    }
    const lists = {
      listing,
      everyText,
      classVersion: classVersion({ expected: 61, roots: ['.'] }),
      coverage: coverageAtLeast(0, { report: '**/none*' }),
      forbidding: matchesReference({ extra: 'forbid' }),
    }
    const found: unknown[] = []
    for (const [name, judge] of Object.entries(lists)) found.push([name, isSound(await runJudge(judge, context))])
    // A copy leaves out what is too deep; the tests decide, and find nothing to report here.
    const overlay = { overlay: { paths: ['answer'] }, minTests: 1 }
    expect((await runJudge(testsPass.command('true', overlay), context)).status).toBe('fail')
    remove(workspace)
    expect(found).toEqual(Object.keys(lists).map((name) => [name, true]))
  })
  test('with names that no path may have fail every judge that reads them', async () => {
    await using workspace = await temporaryWorkspace({ answer: 'right' })
    writeFileSync(join(workspace.root, 'a\\b'), 'x')
    const judgment = await runJudge(everyText, { workspace })
    expect([judgment.status, judgment.checks[0]?.name]).toEqual(['fail', 'path-invalid'])
  })
  test('without the directory or the program that a command needs fail it', async () => {
    await using workspace = await temporaryWorkspace({ 'run.sh': '#!/no/such/shell\n' })
    execFileSync('chmod', ['+x', join(workspace.root, 'run.sh')])
    for (const judge of [
      commandSucceeds('true', { cwd: 'gone' }),
      commandSucceeds(['./gone.sh']),
      commandSucceeds(['./run.sh']),
      buildSucceeds.command(['./run.sh']),
      testsPass.command('true', { cwd: 'gone' }),
    ]) {
      const judgment = await runJudge(judge, { workspace })
      expect([judgment.reasoning, isSound(judgment)]).toEqual([expect.any(String), true])
    }
    expect((await runJudge(commandSucceeds(['no-such-tool']), { workspace })).status).toBe('error')
    remove(workspace)
    expect(isSound(await runJudge(commandSucceeds('true'), { workspace }))).toBe(true)
  })
})

describe("what is not the agent's", () => {
  const right = memoryWorkspace({ answer: 'right' })

  test('a dataset without a reference or a baseline makes them abstain', async () => {
    for (const judge of [
      supersetOf(),
      matchesReference(),
      textFile('answer'),
      jsonFile('answer'),
      coveragePreserved(),
      coverageImproved(),
      classVersion(),
    ])
      expect((await runJudge(judge, { workspace: right })).status).toBe('abstain')
  })
  test.each(Object.keys(leftovers).filter((name) => !/nothing|NUL|UTF-8/.test(name)))(
    '%s in the reference is an error',
    async (leftover) => {
      await using reference = await temporaryWorkspace({ 'a.txt': 'x' })
      await leftovers[leftover]?.(join(reference.root, 'answer'))
      for (const judge of [textFile('answer'), jsonFile('answer')])
        expect((await runJudge(judge, { workspace: right, reference })).status).toBe(
          leftover === 'a sparse file of 300 MiB' ? 'fail' : 'error',
        )
    },
  )
  test('a report of what was there before is an error when it is corrupt', async () => {
    const workspace = memoryWorkspace({ 'lcov.info': 'SF:a\nDA:1,1\nend_of_record\n' })
    const before = memoryWorkspace({ 'lcov.info': 'TN:\nDA:x' })
    expect((await runJudge(coveragePreserved(), { workspace, before })).status).toBe('error')
  })
})

test('no output fails, whatever is asked of it', async () => {
  for (const rule of [{ equals: '' }, { contains: '' }, { matches: '' }, { satisfies: () => true }])
    expect(await runJudge(outputText(rule), {})).toMatchObject({
      status: 'fail',
      checks: [{ name: 'output_present', passed: false }],
    })
})

test('a judged workspace is judged once', () => {
  const workspace = judgedWorkspace(memoryWorkspace())
  expect(judgedWorkspace(workspace)).toBe(workspace)
})
