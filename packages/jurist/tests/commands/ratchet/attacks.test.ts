import { appendFileSync, existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { begin, config, type Night, night } from './night.js'

const answerOf = ({ stdout }: { readonly stdout: string }) => JSON.parse(stdout).answer
const numbers = (ids: readonly string[]) => ids.map((id) => Number(id.split('-')[1]))
const only = (ids: readonly number[]) => ids.map((n) => `only ${n};`).join(' ')

describe.concurrent('attacks on a ratchet', () => {
  test('what is changed outside of the editable paths is not taken, and is named', async () => {
    using made = night()
    expect((await made.jurist(...begin)).code).toBe(0)
    const { directory } = made.made
    // A jury that passes everything, a module that would run in the gate, and a link to the state.
    const evil = readFileSync(join(directory, 'jurist.config.mjs'), 'utf8').replace("contains: 'ok'", "contains: ''")
    made.made.write({ 'jurist.config.mjs': `throw new Error('the gate loads it')\n${evil}`, 'harness.txt': 'x' })
    symlinkSync(join(made.state, 'plan.json'), join(directory, 'prompts', 'plan.json'))
    symlinkSync(made.state, join(directory, 'prompts', 'state'))
    const ran = await made.tries('do a\nlinks peek\n')
    expect([ran.code, JSON.parse(ran.stdout)]).toMatchObject([
      1,
      {
        answer: 'not-asked',
        ignored: ['prompts/plan.json', 'prompts/state', 'jurist.config.mjs', 'harness.txt'],
        visible: { better: 0, worse: 0 },
      },
    ])
    const results = ['-C', made.home, '--results', join(directory, 'results')]
    const scanned = await made.jurist(...results, 'scan', JSON.parse(ran.stdout).visible.run)
    expect(scanned.stdout + scanned.stderr).toMatch(
      /grader-read +attempt .*cat ~\/\.jurist\/ratchets\/demo\/plan\.json/,
    )
    // The owner reads it, too, and the same again is said once.
    await made.tries('do a\n')
    const report = await made.jurist('ratchet', 'report')
    expect([report.code, report.stdout]).toEqual([
      1,
      expect.stringContaining(
        'Changed outside of the editable paths, and not taken: prompts/plan.json, prompts/state, jurist.config.mjs, harness.txt',
      ),
    ])
    expect(made.log().filter(({ kind }) => kind === 'ignored')).toHaveLength(1)
  })

  test('programs that the agent wrote into the config of the repository do not run', async () => {
    using made = night()
    expect((await made.jurist(...begin)).code).toBe(0)
    const trap = join(made.home, 'trapped')
    made.made.write({
      '.gitattributes': '* filter=evil diff=evil\n',
      '.git/hooks/reference-transaction': `#!/bin/sh\ntouch ${trap}\n`,
    })
    made.git('config', 'filter.evil.clean', `touch ${trap}`)
    made.git('config', 'diff.evil.textconv', `touch ${trap}`)
    made.git('config', 'core.fsmonitor', `touch ${trap}`)
    expect(answerOf(await made.tries('do a do b do c do d do e\n'))).toBe('accepted')
    expect(() => readFileSync(trap)).toThrow()
    expect(made.git('-c', 'core.fsmonitor=false', 'show', 'refs/jurist/ratchet/demo:prompts/system.md')).toContain(
      'do e',
    )
  })

  test('a trial that is broken on purpose counts as a failure, and many of them end a look', async () => {
    using made = night()
    const { jurist, tries } = made
    expect((await jurist(...begin)).code).toBe(0)
    // Every failure becomes undecided: what passed before and is undecided now is worse.
    const all = await tries('do b do c do d do e\nbreak failures\n')
    expect(answerOf(all)).not.toBe('accepted')
    const [secret] = numbers(made.plan().parts.hidden.flat()).filter((n) => n % 8 === 0)
    const few = await tries(`do a do b do c do d do e do f\nbreak ${secret}\n`)
    expect(answerOf(few)).toBe('accepted')
    const answers = made.log().filter(({ kind }) => kind === 'answer')
    expect(answers.at(0)).toMatchObject({ accepted: false, reason: 'undecided' })
    expect(answers.at(-1)).toMatchObject({ accepted: true, w: 1 })
    // What decided nothing is tried twice more.
    const store = join(made.state, 'store', 'demo')
    const trials = readdirSync(store, { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('run.json') && readFileSync(join(store, path), 'utf8').includes('"try-2"'))
      .flatMap((path) =>
        readFileSync(join(store, path, '..', 'items.jsonl'), 'utf8')
          .trimEnd()
          .split('\n'),
      )
    expect(trials.filter((line) => JSON.parse(line).itemId === `item-${secret}`)).toHaveLength(3)
  })

  test('two tries at the same time: the second one cannot begin, or waits', async () => {
    using made = night()
    expect((await made.jurist(...begin)).code).toBe(0)
    writeFileSync(join(made.made.directory, 'prompts', 'system.md'), 'do a do b do c do d do e pause 400\n')
    const run = (...words: string[]) => made.made.startWith({ HOME: made.home }, 'ratchet', 'try', '--json', ...words)
    const first = run()
    while (!existsSync(join(made.state, 'lock'))) await setTimeout(20)
    const [refused, waiting] = [run(), run('--wait')]
    const [one, two, three] = await Promise.all([first.ended, refused.ended, waiting.ended])
    expect([one.code, two.code, three.code]).toEqual([0, 3, 0])
    expect(JSON.parse(two.stdout).error.message).toContain(`(process ${first.child.pid} on `)
    expect(JSON.parse(three.stdout)).toMatchObject({ answer: 'accepted', visible: null })
    expect(made.log().map(({ kind }) => kind)).toEqual(['init', 'rehearsal', 'look', 'answer'])
  })

  test('a log, a plan or a jury that was changed ends every command, and says where', async () => {
    using made = night()
    const { jurist, tries, state } = made
    expect((await jurist(...begin)).code).toBe(0)
    await tries('do a do b do c do d do e\n')
    const [file, plan] = [join(state, 'log.jsonl'), join(state, 'plan.json')]
    const [log, planned, head] = [file, plan, join(state, 'head.json')].map((path) => readFileSync(path, 'utf8'))
    const restore = () => {
      writeFileSync(file, log ?? '')
      writeFileSync(plan, planned ?? '')
      writeFileSync(join(state, 'head.json'), head ?? '')
    }
    const refused = async (message: string, commands: readonly string[][] = [['try']]) => {
      for (const words of commands) {
        const { code, stderr } = await jurist('ratchet', ...words)
        expect([words, code, stderr]).toEqual([words, 3, expect.stringContaining(message)])
      }
      restore()
    }
    const lines = (log ?? '').trimEnd().split('\n')
    writeFileSync(file, `${lines.toSpliced(2, 1).join('\n')}\n`)
    await refused('is broken at entry 3', [['try'], ['report'], ['renew'], ['show', '3']])
    writeFileSync(file, (log ?? '').replace('"accepted":true', '"accepted":false'))
    await refused('is broken at entry 4')
    writeFileSync(file, `${lines.slice(0, 2).join('\n')}\n`)
    await refused('is broken at entry 3')
    writeFileSync(plan, (planned ?? '').replace('"looks":5', '"looks":9'))
    await refused('plan.json was changed')
    appendFileSync(join(state, 'tree', 'jurist.config.mjs'), '// passes\n')
    for (const words of [['try'], ['report']]) {
      const { code, stderr } = await jurist('ratchet', ...words)
      expect([code, stderr]).toEqual([3, expect.stringContaining('which judge, were changed')])
    }
    // Log and head together, from before the look: only a hash that was noted shows it.
    const noted = JSON.parse(lines.at(-1) ?? '').hash
    const at = JSON.parse(lines[1] ?? '')
    writeFileSync(file, `${lines.slice(0, 2).join('\n')}\n`)
    writeFileSync(join(state, 'head.json'), JSON.stringify({ seq: 2, hash: at.hash }))
    const expected = await jurist('ratchet', 'report', '--expect', noted)
    expect([expected.code, expected.stderr]).toEqual([3, expect.stringContaining('No entry of the log has the hash')])
  })

  test('an entry that a crash cut off never counted', async () => {
    using made = night()
    expect((await made.jurist(...begin)).code).toBe(0)
    appendFileSync(join(made.state, 'log.jsonl'), '{"seq":2,"kind":"look"')
    expect(answerOf(await made.tries('do a do b do c do d do e\n'))).toBe('accepted')
    expect(made.log().map(({ seq }) => seq)).toEqual([1, 2, 3, 4])
  })

  /** A night of an agent that follows a strategy: each answer is all that it learns of the hidden items. */
  async function accepted(made: Night, prompts: (answers: readonly string[]) => string | undefined): Promise<number> {
    expect((await made.jurist(...begin)).code).toBe(0)
    const answers: string[] = []
    for (let prompt = prompts(answers); prompt !== undefined; prompt = prompts(answers)) {
      const ran = await made.tries(prompt)
      if (ran.code === 3) break
      answers.push(answerOf(ran))
    }
    return answers.filter((answer) => answer === 'accepted').length
  }

  test('memorising visible items, and probing single items, keeps nothing', async () => {
    using learner = night()
    using prober = night()
    using stacker = night()
    const learnt = await accepted(learner, (answers) => {
      const ids = numbers(learner.plan().parts.visible)
      return answers.length < 4 ? `do a ${only(ids.slice(0, 8 + 4 * answers.length))} ${answers.length}\n` : undefined
    })
    const probed = await accepted(prober, (answers) => {
      const [first = 0] = numbers(prober.plan().parts.visible).filter((n) => n % 8 !== 0)
      return answers.length < 6 ? `do a ${only([first, answers.length * 11 + 1])}\n` : undefined
    })
    const stacked = await accepted(stacker, (answers) => {
      const learning = numbers(stacker.plan().parts.visible).filter((n) => n % 8 !== 0)
      return answers.length < 4 ? `do a ${only([...learning, ...Array(answers.length).keys()])}\n` : undefined
    })
    expect([learnt, probed, stacked]).toEqual([0, 0, 0])
    expect(prober.log().filter(({ kind }) => kind === 'look')).toHaveLength(5)
  })

  test('a look says one bit after one time, whatever happened at the hidden items, and the owner reads why', async () => {
    // Of what is stored while hidden trials run, the agent deletes all that the prompt does not name.
    const wrecking = config
      .replace('import { readFileSync }', 'import { readdirSync, readFileSync, rmSync }')
      .replace(
        'const [, pause = 0]',
        'const [, store, kept] = /wreck (\\S+) (\\S+)/.exec(prompt) ?? []\n' +
          "  for (const run of store === undefined ? [] : readdirSync(store)) if (!kept.includes(run)) rmSync(store + '/' + run, { recursive: true })\n" +
          '  const [, pause = 0]',
      )
    using made = night({ 'jurist.config.mjs': wrecking })
    const lookMs = 9_000
    const begun = await made.jurist(...begin.map((word) => (word === '0' ? `${lookMs}ms` : word)))
    expect([begun.code, begun.stdout]).toEqual([0, expect.stringContaining('A look takes 9.0 s, and accepts nothing')])
    const [first = 0] = numbers(made.plan().parts.visible).filter((n) => n % 8 !== 0)
    const [secret] = numbers(made.plan().parts.hidden.flat()).filter((n) => n % 8 === 0)
    const store = join(made.state, 'store', 'demo')
    const learnt = `do a ${only([first])}`
    const ways = [
      [`${learnt} break ${secret}\n`, undefined],
      [`${learnt} break failures\n`, 'undecided'],
      [`${learnt} pause 8000\n`, 'late'],
      [`${learnt} wreck ${store} ${readdirSync(store).join()}\n`, 'failed'],
    ] as const
    const said: unknown[] = []
    for (const [prompt, reason] of ways) {
      writeFileSync(join(made.made.directory, 'prompts', 'system.md'), prompt)
      const { code, stdout, stderr } = await made.jurist('ratchet', 'try')
      const [hidden = ''] = /Hidden: .*/.exec(stdout) ?? []
      said.push([code, hidden.replace(/\d/, 'n'), stderr])
      expect(made.log().at(-1)).toMatchObject({ kind: 'answer', accepted: false, ...(reason && { reason }) })
    }
    expect(said).toEqual(ways.map(() => [1, 'Hidden: not accepted. n of 5 looks left.', expect.any(String)]))
    expect(new Set(said.map((one) => JSON.stringify(one))).size).toBe(1)
    expect(await made.tries('do a do b do c do d do e\n')).toMatchObject({ code: 0 })
    const times = (kind: string) =>
      made.log().flatMap((entry) => (entry['kind'] === kind ? [Date.parse(String(entry['at']))] : []))
    const [looks, answers] = [times('look'), times('answer')]
    for (const [place, at] of looks.entries()) expect((answers[place] ?? 0) - at).toBeGreaterThanOrEqual(lookMs - 5)
    expect((await made.jurist('ratchet', 'report')).stdout).toMatch(
      /entry \d+ left more than a tenth of the items undecided, entry \d+ took longer than a look may, entry \d+ ended with an error\.\n {2}Errors: \S+errors\.log/,
    )
    expect(readFileSync(join(made.state, 'errors.log'), 'utf8')).not.toBe('')
  })

  test('stored trials that were changed end every look, and the entry that they belong to is named', async () => {
    using made = night()
    expect((await made.jurist(...begin)).code).toBe(0)
    const [first = 0] = numbers(made.plan().parts.visible).filter((n) => n % 8 !== 0)
    expect(answerOf(await made.tries(`do a ${only([first])}\n`))).toBe('not-accepted')
    // As if the start had failed everywhere: nothing is easier to beat.
    const runs = readdirSync(join(made.state, 'store', 'demo'))
      .filter((name) => name.includes('-'))
      .sort()
    const trials = join(made.state, 'store', 'demo', runs[0] ?? '', 'items.jsonl')
    writeFileSync(trials, readFileSync(trials, 'utf8').replaceAll('"passed":true', '"passed":false'))
    const forged = await made.tries('do a do b do c do d\n')
    expect([forged.code, forged.stdout]).toEqual([
      3,
      expect.stringContaining('differ from those of entry 3: the store of the ratchet was changed'),
    ])
    expect(made.log().filter(({ kind }) => kind === 'look')).toHaveLength(1)
  })
})
