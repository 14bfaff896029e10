import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import {
  allOf,
  cascade,
  fail,
  fileContent,
  fileExists,
  inOneCopy,
  type Judge,
  judgmentContext,
  jury,
  named,
  pass,
  runJudge,
} from '@jurist/core'
import { copyOf, localWorkspace } from '@jurist/workspace'
import { buildSucceeds, commandSucceeds, testsPass } from '@jurist/workspace/commands'
import { readOnly } from '@jurist/workspace/internal'
import { temporaryWorkspace } from '@jurist/workspace/testing'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

const good = { 'src/a.js': 'bad\n', 'run.sh': 'echo good > src/a.js; echo built > out.txt\n' }
const runs = commandSucceeds(['sh', 'run.sh'])
const isGood = fileContent('src/a.js', { equals: 'good\n' })
const statuses = (individual: { readonly [name: string]: { readonly status: string } }) =>
  Object.fromEntries(Object.entries(individual).map(([name, { status }]) => [name, status]))

describe('judges of one jury', () => {
  test.skipIf(process.platform !== 'linux')('see names that are not UTF-8 (needs names of any bytes)', async () => {
    await using workspace = await temporaryWorkspace({})
    writeFileSync(Buffer.from(`${workspace.root}/bad-\xff-utf`, 'latin1'), '1')
    const judge = commandSucceeds(['sh', '-c', 'ls | grep -a bad'])
    expect((await jury({ judges: { judge } }).vote({ workspace })).aggregated.status).toBe('pass')
  })

  test('a command cannot write what a judge beside it reads, whichever seat comes first', async () => {
    for (const judges of [
      { content: isGood, runs },
      { runs, content: isGood },
    ])
      for (const concurrency of [1, Number.POSITIVE_INFINITY]) {
        await using workspace = await temporaryWorkspace(good)
        const verdict = await jury({ judges, concurrency }).vote({ workspace })
        expect(statuses(verdict.individual)).toEqual({ content: 'fail', runs: 'pass' })
        expect(readFileSync(join(workspace.root, 'src/a.js'), 'utf8')).toBe('bad\n')
        expect(existsSync(join(workspace.root, 'out.txt'))).toBe(false)
      }
  })

  test('any mixture of judges that look, run and write leaves the workspace as it was', async () => {
    const looking: Judge = async ({ workspace }) => (await workspace.read('src/a.js')) === 'bad\n'
    const running: Judge = async ({ workspace }) => {
      await workspace.run('sh run.sh; rm -f run.sh')
      return (await workspace.read('src/a.js')) === 'good\n' && (await workspace.isFile('out.txt'))
    }
    const writing: Judge = async ({ workspace }) => {
      const { write, remove } = workspace as Awaited<ReturnType<typeof temporaryWorkspace>>
      await write('src/a.js', 'good\n')
      await remove('run.sh')
      return (await workspace.read('src/a.js')) === 'good\n' && !(await workspace.exists('run.sh'))
    }
    const one = fc.constantFrom(looking, running, writing)
    await fc.assert(
      fc.asyncProperty(
        fc.array(one, { minLength: 1, maxLength: 5 }),
        fc.integer({ min: 1, max: 5 }),
        async (all, concurrency) => {
          await using workspace = await temporaryWorkspace(good)
          const judges = Object.fromEntries(all.map((judge, index) => [`j${index}`, judge]))
          const both = [
            jury({ judges, concurrency }),
            allOf(...all),
            cascade([{ name: 'only', jury: jury({ judges }), policy: 'final' }]),
          ]
          for (const judge of both) expect((await runJudge(judge, { workspace })).status).toBe('pass')
          expect(readdirSync(workspace.root).sort()).toEqual(['run.sh', 'src'])
          expect(await workspace.read('src/a.js')).toBe('bad\n')
        },
      ),
      { numRuns: 12 },
    )
  })

  test('a tier never sees what the run of an earlier tier wrote', async () => {
    await using workspace = await temporaryWorkspace({
      'package.json': '{"type":"module","scripts":{"test":"node --test"}}',
      'src/sum.js': `import { writeFileSync } from 'node:fs'
writeFileSync(new URL('../tests/sum.test.js', import.meta.url), "import {test} from 'node:test'\\ntest('sum', () => {})\\n")
export const sum = (a, b) => a - b\n`,
      'tests/sum.test.js': `import assert from 'node:assert'
import { test } from 'node:test'
test('sum', async () => assert.equal((await import('../src/sum.js')).sum(1, 2), 3))\n`,
    })
    await using before = await copyOf(workspace.root)
    const untouched: Judge = async (context) =>
      (await context.workspace.read('tests/sum.test.js')) === (await context.before?.read('tests/sum.test.js'))
    const tests = testsPass.npm('test', { minTests: 1 })
    const rules = cascade([
      { name: 'intact', jury: jury({ judges: { untouched } }), policy: 'reject-on-any-fail' },
      {
        name: 'loads',
        jury: jury({ judges: { loads: commandSucceeds(['node', 'src/sum.js']) } }),
        policy: 'reject-on-any-fail',
      },
      { name: 'tests', jury: jury({ judges: { tests, untouched } }), policy: 'final' },
    ])
    const verdict = await rules.vote({ workspace, before })
    expect(verdict.aggregated.status).toBe('fail')
    expect(verdict.tiers?.map(({ outcome }) => outcome)).toEqual(['escalated', 'escalated', 'decided'])
  })

  test('copies are gone when the vote is over, also when it was stopped', async () => {
    await using workspace = await temporaryWorkspace(good)
    const roots: string[] = []
    const stopping = new AbortController()
    const noted: Judge = async ({ workspace: own }) => {
      await own.run('sh run.sh')
      roots.push(own.root ?? '')
      return true
    }
    const stopped: Judge = async ({ workspace: own, signal }) => {
      await own.run('true')
      roots.push(own.root ?? '')
      const running = own.run('sleep 600', { signal })
      stopping.abort()
      await running
      return true
    }
    const { signal } = stopping
    const verdict = await jury({ judges: { noted, stopped }, concurrency: 1 }).vote({ workspace, signal })
    expect(statuses(verdict.individual)).toEqual({ noted: 'pass', stopped: 'error' })
    expect(new Set([...roots, workspace.root]).size).toBe(3)
    for (const root of roots) expect(existsSync(root)).toBe(false)
  })

  test('a judge that goes on after its end cannot run in the workspace', async () => {
    await using workspace = await temporaryWorkspace(good)
    const stopping = new AbortController()
    const { signal } = stopping
    let late: Promise<unknown> = Promise.resolve()
    const judge: Judge = async ({ workspace: own }) => {
      late = once(signal, 'abort')
        .then(() => setImmediate())
        .then(() => own.run('touch late'))
        .catch((thrown: unknown) => thrown)
      stopping.abort()
      await late
      return true
    }
    await jury({ judges: { judge } }).vote({ workspace, signal })
    expect(await late).toMatchObject({ code: 'aborted' })
    expect(existsSync(join(workspace.root, 'late'))).toBe(false)
  })

  test('links and odd files are as they were, and no link leads from the copy back into the workspace', async () => {
    await using workspace = await temporaryWorkspace({
      'src/a.js': 'bad\n',
      'node_modules/.bin/tool': { link: '/bin/true' },
      out: { link: '/etc/hostname' },
      'by-name': { link: 'src/a.js' },
    })
    const { root } = workspace
    const around = `../${root.slice(root.lastIndexOf('/') + 1)}/src/a.js`
    await workspace.run(['ln', '-s', join(root, 'src/a.js'), 'absolute'])
    await workspace.run(['ln', '-s', around, 'around'])
    await workspace.run('mkfifo pipe')
    const swaps = commandSucceeds(
      'node_modules/.bin/tool && test -e out && echo good > absolute && grep good src/a.js && echo good > around && echo good > by-name',
    )
    expect(await jury({ judges: { swaps } }).vote({ workspace })).toMatchObject({ aggregated: { status: 'pass' } })
    expect(await workspace.read('src/a.js')).toBe('bad\n')
  })

  test('a view of a workspace for reading runs in a copy, which it may clear', async () => {
    await using workspace = await temporaryWorkspace({ ...good, 'junit.xml': '<testsuite/>' })
    const tests = testsPass.command(['sh', '-c', 'echo "ok 1 - a"; echo "1..1"'])
    const verdict = await jury({ judges: { tests } }).vote({ workspace: readOnly(workspace) })
    expect(verdict.aggregated.status).toBe('pass')
    expect(await workspace.exists('junit.xml')).toBe(true)
  })

  test('commands of copies still take turns', async () => {
    await using made = await temporaryWorkspace({ 'a.txt': '' })
    const log = join(made.root, 'log')
    const workspace = localWorkspace(made.root, { limits: { concurrentCommands: 1 } })
    const one = commandSucceeds(['sh', '-c', `echo begin >> ${log}; sleep 0.1; echo end >> ${log}`])
    await jury({ judges: { a: one, b: one, c: one } }).vote({ workspace })
    expect(readFileSync(log, 'utf8')).toBe('begin\nend\n'.repeat(3))
  })
})

describe('judges that need each other', () => {
  const build = commandSucceeds('mkdir dist && cp src/a.js dist/app.js')
  const built = fileContent('dist/app.js', { equals: 'bad\n' })

  test('work in one copy, one after another, the last one decides', async () => {
    await using workspace = await temporaryWorkspace(good)
    const scored: Judge = () => pass('fine', { score: 0.75, checks: [{ name: 'scored', passed: true, message: 'ok' }] })
    const { aggregated, individual } = await jury({
      judges: { built: inOneCopy(build, built, named(scored, 'scored')), beside: fileExists('dist/app.js') },
    }).vote({ workspace })
    expect(statuses(individual)).toEqual({ built: 'pass', beside: 'fail' })
    expect(individual.built).toMatchObject({ reasoning: 'fine', score: { type: 'numerical', value: 0.75 } })
    expect(individual.built?.checks.map(({ name }) => name)).toContain('command_execution')
    expect(aggregated.status).toBe('fail')
    expect(existsSync(join(workspace.root, 'dist'))).toBe(false)
  })

  test('stop at the first that does not pass', async () => {
    await using workspace = await temporaryWorkspace(good)
    const judge = inOneCopy(commandSucceeds('exit 3'), () => pass('never asked'))
    expect(await runJudge(judge, { workspace })).toMatchObject({
      status: 'fail',
      checks: [{ message: 'exit code 3, expected 0' }],
    })
    expect(() => inOneCopy()).toThrow(expect.objectContaining({ code: 'judges-empty' }))
  })

  test('a combination in it sees what was built, and has copies of its own again', async () => {
    await using workspace = await temporaryWorkspace(good)
    const judge = inOneCopy(build, jury({ judges: { built, runs, also: isGood } }), built)
    expect(await judge(judgmentContext({ workspace }))).toMatchObject({ status: 'fail' })
    const fine = inOneCopy(build, jury({ judges: { built, runs } }), built)
    expect(await runJudge(fine, { workspace })).toMatchObject({ status: 'pass' })
  })

  test("a judge of one's own builds and looks, in its own copy", async () => {
    await using workspace = await temporaryWorkspace(good)
    const own: Judge = async (context) => {
      const judgment = await runJudge(build, context)
      if (judgment.status !== 'pass') return judgment
      const text = await context.workspace.read('dist/app.js')
      return text === 'bad\n' ? pass('built') : fail('not built')
    }
    const { individual } = await jury({ judges: { own, dist: fileExists('dist/app.js') } }).vote({ workspace })
    expect(statuses(individual)).toEqual({ own: 'pass', dist: 'fail' })
  })

  test('are named to each other when a later one misses what an earlier one built', async () => {
    await using workspace = await temporaryWorkspace(good)
    const rules = (last: Judge) =>
      cascade([
        { name: 'build', jury: jury({ judges: { build } }), policy: 'reject-on-any-fail' },
        { name: 'look', jury: jury({ judges: { last } }), policy: 'final' },
      ])
    const hint = /dist was written by a command of another judge.*inOneCopy/
    for (const last of [fileExists('dist/app.js'), buildSucceeds.command(['node', 'dist/app.js'])]) {
      const verdict = await rules(last).vote({ workspace })
      expect(verdict.individual.last).toMatchObject({ status: 'fail', reasoning: expect.stringMatching(hint) })
    }
    const unrelated = await rules(fileExists('other.js')).vote({ workspace })
    expect(unrelated.aggregated.reasoning).not.toMatch(/another judge/)
  })

  test('work in the workspace itself when it is asked for', async () => {
    await using made = await temporaryWorkspace(good)
    const workspace = localWorkspace(made.root, { judges: 'in-place' })
    const verdict = await jury({ judges: { build, built }, concurrency: 1 }).vote({ workspace })
    expect(verdict.aggregated.status).toBe('pass')
    expect(existsSync(join(made.root, 'dist/app.js'))).toBe(true)
  })
})
