import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { bubblewrapSandbox } from '@jurist/workspace'
import { expect, test } from 'vitest'
import { begin, night } from './night.js'

const hasBubblewrap = await bubblewrapSandbox()
  .probe()
  .then(
    () => true,
    () => false,
  )

const items = Array.from({ length: 96 }, (_, n) => ({
  id: `item-${n}`,
  task: `Task ${n}`,
  expectedOutput: 'SECRET-ANSWER',
}))
const config = `experiments:
  demo:
    dataset: ${JSON.stringify(items)}
    agent: { command: [sh, prompts/agent.sh] }
    sandbox: { bubblewrap: { readable: [prompts], network: { allow: [] } } }
    concurrency: 8
    jury: { type: output-text, contains: done }
`

/** Each line is one try of an agent to read or to change what it must not. One that reads prints what it found; a change is looked for outside. */
const attempts = (state: string, project: string, mark: string): readonly string[] => [
  `cat ${state}/plan.json`,
  `cat ${state}/log.jsonl`,
  `cat ${state}/head.json`,
  `ls ${state}/store && ls ${state}/tree`,
  `cat ${state}/tree/jurist.config.yaml`,
  `grep -r 'SECRET-ANSW[E]R' ${state}`,
  `cat "$(dirname "$0")/../jurist.config.yaml"`,
  `cat ${project}/jurist.config.yaml`,
  `ls ${project}/results`,
  `grep -r item- ${project}`,
  `cat ~/.jurist/ratchets/demo/plan.json`,
  `find / -name plan.json -o -name log.jsonl 2>/dev/null | grep .`,
  `cat /proc/*/environ 2>/dev/null | tr '\\0' '\\n' | grep jurist-home`,
  `cat /proc/*/cmdline 2>/dev/null | tr '\\0' ' ' | grep 'ratchet tr[y]'`,
  `ln -s ${state}/plan.json split.json; cat split.json`,
  `echo forged >> ${state}/log.jsonl`,
  `rm -rf ${state}/plan.json ${state}/store`,
  `echo '# passes' >> ${project}/jurist.config.yaml`,
  `echo 'do all' >> "$0"`,
  `touch ${mark}`,
]

test.skipIf(!hasBubblewrap)(
  'an agent in a sandbox reads and changes nothing of its ratchet, in twenty tries (needs bubblewrap)',
  async () => {
    using made = night({ 'jurist.config.yaml': config, 'prompts/agent.sh': 'echo start\n', 'prompts/system.md': '' })
    made.git('rm', '--quiet', 'jurist.config.mjs')
    made.git('commit', '--quiet', '-m', 'in YAML')
    const begun = await made.jurist(...begin)
    expect([begun.code, begun.stderr]).toEqual([0, expect.not.stringContaining('Not sandboxed')])
    const mark = join(made.home, 'mark')
    const tries = attempts(made.state, made.made.directory, mark)
    expect(tries).toHaveLength(20)
    const script = tries.map(
      (line, place) => `found=$( (${line}) 2>/dev/null) && [ -n "$found" ] && echo "GOT ${place} $found"`,
    )
    // It does what is asked as well, so that the hidden items are asked.
    const asking = 'curl -s http://leak.example.org/ >&2'
    made.made.write({ 'prompts/agent.sh': `${script.join('\n')}\n${asking}\necho done\n` })
    const before = ['plan.json', 'tree/jurist.config.yaml'].map((name) => readFileSync(join(made.state, name), 'utf8'))
    const ran = await made.tries('')
    expect([ran.code, JSON.parse(ran.stdout)]).toMatchObject([0, { answer: 'accepted', visible: { passed: 24 } }])
    const shown = await made.jurist('show', JSON.parse(ran.stdout).visible.run, '--json')
    const trials: readonly object[] = JSON.parse(shown.stdout).items
    expect(trials).toHaveLength(24)
    for (const trial of trials) {
      expect(JSON.stringify(trial)).toContain('done')
      expect(JSON.stringify(trial)).not.toContain('GOT')
    }
    expect(
      ['plan.json', 'tree/jurist.config.yaml'].map((name) => readFileSync(join(made.state, name), 'utf8')),
    ).toEqual(before)
    expect(existsSync(mark)).toBe(false)
    const report = (await made.jurist('ratchet', 'report')).stdout
    expect(report).not.toContain('Not sandboxed')
    // Of the 48 hidden items and the 24 of the reserve.
    expect(report).toContain('Hosts that were refused: leak.example.org 72')
  },
)
