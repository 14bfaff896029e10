import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, test } from 'vitest'
import { root } from '../structure/source.js'
import type { Isolated } from './isolated.js'
import { compilerProblems, type Ended, type Program, runPrograms, writePrograms } from './programs.js'

const run = promisify(execFile)
const vitest = join(root, 'node_modules/vitest/vitest.mjs')
const placeOf = ({ fence }: Program) => `${fence.page}:${fence.line}`

/**
 * Every block of TypeScript and JavaScript of the README, the guides and the READMEs of packages and examples: it compiles
 * where nothing but the named packages is installed, and it runs unless the document says why not.
 */
export function documentedPrograms(all: readonly Program[], installed: () => Isolated): void {
  const foreign = all.filter(({ fence }) => fence.notCompiled !== undefined)
  const missing = all.filter((one) => one.missing.length > 0)
  const programs = all.filter((one) => !foreign.includes(one) && !missing.includes(one))
  const running = programs.filter(({ fence }) => fence.notRun === undefined)
  const tests = running.filter(({ file }) => file.endsWith('.test.ts'))
  const others = running.filter((program) => !tests.includes(program))

  describe('blocks of code in documents', () => {
    let ended: readonly Ended[] = []
    beforeAll(async () => {
      const { projects } = installed()
      writePrograms(projects, programs)
      ended = await runPrograms(projects, others)
    })

    test('each that is not run says why', () => {
      const silent = programs.filter(({ fence }) => /^declare /m.test(fence.before) && fence.notRun === undefined)
      expect(silent.map(placeOf)).toEqual([])
      const list = (title: string, some: readonly Program[], reason: (program: Program) => string) =>
        some.length === 0 ? [] : [title, ...some.map((program) => `  ${placeOf(program)}: ${reason(program)}`)]
      console.log(
        [
          `${all.length} blocks: ${programs.length} compiled, ${running.length} run (${tests.length} by Vitest).`,
          ...list('Not compiled:', foreign, ({ fence }) => fence.notCompiled ?? ''),
          ...list('Not compiled, as `npm run test:long` was not run:', missing, (one) => `needs ${one.missing.join()}`),
          ...list(
            'Not run:',
            programs.filter((one) => !running.includes(one)),
            ({ fence }) => fence.notRun ?? '',
          ),
        ].join('\n'),
      )
      expect(running.length).toBeGreaterThan(50)
    })

    test('compile', async () => {
      expect(await compilerProblems(installed().projects, programs)).toEqual([])
    })

    test('run', () => {
      const failed = others.flatMap((program) => {
        const { error } = ended.find(({ directory }) => directory === program.directory) ?? { error: 'it never began' }
        return error === null ? [] : [`${placeOf(program)}: ${error}`]
      })
      expect(failed).toEqual([])
    })

    test('print what they say', () => {
      const saying = others.map((program) => ({ program, said: saidBy(program) })).filter(({ said }) => said !== '')
      expect(saying.length).toBeGreaterThan(4)
      for (const { program, said } of saying)
        expect(ended.find(({ directory }) => directory === program.directory)?.output, placeOf(program)).toBe(said)
    })

    test.each(tests)('pass as tests of Vitest: $directory', async ({ directory }) => {
      const cwd = join(installed().projects, directory)
      const { stdout } = await run(process.execPath, [vitest, 'run', '--root', '.', '--reporter', 'default'], { cwd })
      expect(stdout).toContain('passed')
    })
  })
}

/** What a program says that it prints: the comments after its calls. */
function saidBy({ fence }: Program): string {
  return [...fence.code.matchAll(/^console\.log\(.*\) \/\/ (.*)$/gm)].map(([, text]) => `${text}\n`).join('')
}
