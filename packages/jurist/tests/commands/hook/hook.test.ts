import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { type Project, project } from '../../project.js'
import { testOnce } from '../../project-results.js'
import { claudeSession } from '../scan/traces.js'

const commandFile = fileURLToPath(new URL('../../../dist/command/main.js', import.meta.url))
const readme = 'juries:\n  done: { type: file-content, path: README.md, matches: "^# \\\\w" }\n'
const anything = 'juries:\n  done: { type: file-exists, path: jurist.config.yaml }\n'

/** A session of a coding agent in a project: its events, and what the hooks say to them. */
function session(made: Project, id = 'one', how: readonly string[] = []) {
  const home = join(made.directory, '..', `${made.directory.split('/').at(-1)}-home`)
  const tell = async (moment: string, event: object = {}) => {
    const whole = { session_id: id, cwd: made.directory, hook_event_name: moment, ...event }
    const ran = await made.juristReading(JSON.stringify(whole), { HOME: home }, 'hook', moment, ...how)
    return { ...ran, said: ran.stdout === '' ? undefined : JSON.parse(ran.stdout) }
  }
  return {
    home,
    start: () => tell('start'),
    edit: () => tell('edit'),
    stop: (isContinued?: boolean, event: object = {}) =>
      tell('stop', { ...(isContinued === undefined ? {} : { stop_hook_active: isContinued }), ...event }),
    [Symbol.dispose]: () => rmSync(home, { recursive: true, force: true }),
  }
}

function commit({ directory }: Project, name = 'a'): string {
  const git = (...args: readonly string[]) => execFileSync('git', args, { cwd: directory, encoding: 'utf8' }).trim()
  git('init', '--quiet')
  git('add', '--all')
  git('-c', `user.name=${name}`, '-c', `user.email=${name}@example.org`, 'commit', '--quiet', '-m', 'first')
  return git('rev-parse', 'HEAD')
}

async function trialsOf(made: Project): Promise<readonly { readonly passed: boolean | null }[]> {
  const [run, ...others] = JSON.parse((await made.jurist('list', '--kind', 'hook', '--json')).stdout)
  expect(others).toEqual([])
  return JSON.parse((await made.jurist('show', run.id, '--json')).stdout).items
}

describe.concurrent('jurist hook', () => {
  test('with --claims tells the user, and not the agent, what the session does not show', async () => {
    using made = project({ 'jurist.config.yaml': anything, 'README.md': '# Hello\n' })
    using agent = session(made, 'claims', ['--claims'])
    await agent.start()
    const stop = async (text: string | undefined, last: string) => {
      const transcript = text === undefined ? {} : { transcript_path: join(made.directory, 'session.jsonl') }
      if (text !== undefined) made.write({ 'session.jsonl': text })
      return agent.stop(false, { last_assistant_message: last, ...transcript })
    }
    const unproven = await stop(claudeSession('ls tests', 'All tests pass.'), 'All tests pass.')
    expect(unproven.said).toEqual({
      systemMessage:
        'Claim without evidence (claimed-not-run): "All tests pass.", but no such check ran after the last edit.',
    })
    const proven = await stop(claudeSession('ls', 'All tests pass.', 'npm test'), 'All tests pass.')
    expect(proven.said).toEqual({})
    expect((await stop(undefined, 'Done.')).said.systemMessage).toContain('names no file of its session')
    expect((await stop('no session', 'Done.')).said.systemMessage).toContain(
      'The claims were not compared: There is no trace',
    )
    using silent = session(made, 'silent')
    await silent.start()
    const said = await silent.stop(false, { transcript_path: join(made.directory, 'session.jsonl') })
    expect(said.said).toEqual({})
  })

  test('sends an agent back until the jury passes, and keeps every judgment', async () => {
    using made = project({ 'jurist.config.yaml': readme })
    using agent = session(made)
    expect(await agent.start()).toMatchObject({ code: 0, said: {} })
    const first = await agent.stop(false, { last_assistant_message: 'I am done.' })
    expect(first).toMatchObject({ code: 0, said: { decision: 'block' } })
    expect(first.said.reason).toBe(
      'The jury "done" does not pass yet.\n✗ fileContent: README.md is missing\n  - file_exists: is missing (README.md)',
    )
    made.write({ 'README.md': '# Hello\n' })
    expect(await agent.stop(true)).toMatchObject({ code: 0, said: {}, stderr: '' })
    const trials = await trialsOf(made)
    expect(trials).toMatchObject([
      { itemId: 'stop', repetition: 1, passed: false, metadata: { decision: 'block' } },
      { itemId: 'stop', repetition: 2, passed: true, metadata: { decision: 'allow' } },
    ])
    expect(trials[0]).toMatchObject({ detail: { invocation: { output: { text: 'I am done.' } } } })
  })

  testOnce(
    'a committed config judges, whatever the agent makes of it, of the commit and of the repository',
    async () => {
      using made = project({ 'jurist.config.yaml': readme })
      const first = commit(made)
      using agent = session(made)
      await agent.start()
      made.write({ 'jurist.config.yaml': anything })
      const changed = await agent.stop(false)
      expect(changed.said).toMatchObject({ decision: 'block' })
      expect(changed.said.reason).toContain(
        `jurist.config.yaml changed in this session; the version of commit ${first.slice(0, 12)}`,
      )
      commit(made)
      expect((await agent.stop(false)).said).toMatchObject({ decision: 'block' })
      rmSync(join(made.directory, '.git'), { recursive: true })
      rmSync(join(made.directory, 'jurist.config.yaml'))
      expect((await agent.stop(false)).said).toMatchObject({ decision: 'block' })
    },
  )

  testOnce(
    'judge modules come from the same copy, and what is not committed is pinned when the session starts',
    async () => {
      const module = "import { judge } from './judge.mjs'\nexport default { juries: { done: judge } }\n"
      const judging = (says: string) => `export const judge = () => ({ status: '${says}', reasoning: 'so' })\n`
      using made = project({
        'jurist.config.mjs':
          "import { fail, pass } from 'jurist'\nimport { says } from './judge.mjs'\nexport default { juries: { done: () => says === 'no' ? fail('no') : pass('yes') } }\n",
        'judge.mjs': "export const says = 'no'\n",
        'unused.mjs': module + judging('pass'),
      })
      using agent = session(made)
      await agent.start()
      made.write({ 'judge.mjs': "export const says = 'yes'\n" })
      const { said } = await agent.stop(false)
      expect(said).toMatchObject({ decision: 'block' })
      expect(said.reason).toContain('judge.mjs changed in this session; the version from the start of the session')
    },
  )

  testOnce(
    'a config in TypeScript is compiled for the first judgment of a session, outside of the project',
    async () => {
      using made = project({
        'jurist.config.ts': `import { judge } from './judge.ts'\nconst juries: object = { done: judge }\nexport default { juries }\n`,
        'judge.ts': `export const judge = ({ workspace }: { workspace: any }): Promise<boolean> => workspace.exists('DONE')\n`,
      })
      using agent = session(made)
      await agent.start()
      const directory = join(agent.home, '.jurist', 'hooks', 'compiled')
      expect(existsSync(directory)).toBe(false)
      expect((await agent.stop()).said).toMatchObject({ decision: 'block' })
      const compiled = () =>
        readdirSync(directory).map((name) => `${name} ${statSync(join(directory, name), { bigint: true }).mtimeNs}`)
      const first = compiled()
      expect(first).toHaveLength(2)
      made.write({ DONE: '' })
      expect((await agent.stop()).said).toEqual({})
      expect(compiled()).toEqual(first)
    },
  )

  test('a config outside of the project judges the repository in which the session works, where it is', async () => {
    using outside = project({ 'jurist.config.yaml': readme })
    using made = project({ 'README.md': '# Hello\n', 'deep/jurist.config.yaml': anything })
    commit(made)
    using agent = session(made)
    const results = await outside.results.variables([])
    const event = JSON.stringify({ session_id: 'out', cwd: join(made.directory, 'deep'), stop_hook_active: false })
    const stop = () =>
      made.juristReading(
        event,
        { HOME: agent.home, ...results },
        '-c',
        join(outside.directory, 'jurist.config.yaml'),
        'hook',
        'stop',
      )
    expect(JSON.parse((await stop()).stdout)).toEqual({})
    rmSync(join(made.directory, 'README.md'))
    expect(JSON.parse((await stop()).stdout).reason).toContain('README.md is missing')
    expect(await trialsOf(outside)).toMatchObject([{ passed: true }, { passed: false }])
  })

  testOnce(
    'lets the agent stop after --max blocks in a row, with a warning, and counts again from the next request',
    async () => {
      using made = project({ 'jurist.config.yaml': readme })
      using agent = session(made, 'loop', ['--max', '2'])
      await agent.start()
      const answers = []
      for (const isContinued of [false, true, true, undefined]) answers.push((await agent.stop(isContinued)).said)
      const [one, two, three, four] = answers
      expect([one.decision, two.decision, three.decision, four.decision]).toEqual([
        'block',
        'block',
        undefined,
        undefined,
      ])
      expect(three.systemMessage).toContain('The agent was sent back 2 times and may stop now.')
      expect((await agent.stop(false)).said.decision).toBe('block')
    },
  )

  testOnce('a broken jury, config or command line never blocks: exit code 3, never 2', async () => {
    const broken = "export default { juries: { done: () => { throw new Error('no model') } } }\n"
    using made = project({ 'jurist.config.mjs': broken })
    using agent = session(made)
    const judged = await agent.stop(false)
    expect(judged).toMatchObject({ code: 3, said: { systemMessage: expect.stringContaining('had begun before') } })
    expect(judged.stderr).toContain(
      'jurist: The jury "done" decides nothing: done: done threw: no model. The agent may stop.',
    )
    using other = session(made, 'two', ['--jury', 'none'])
    expect(await other.stop()).toMatchObject({ code: 3, stderr: expect.stringContaining('No jury "none"') })
    using wrong = session(made, 'three', ['--no-such-flag'])
    expect(await wrong.stop()).toMatchObject({ code: 3, said: undefined })
    expect((await made.juristReading('[]', {}, 'hook', 'stop')).code).toBe(3)
    expect((await made.jurist('hook', 'install', 'emacs')).code).toBe(2)
    expect((await made.jurist('hook', 'instal', 'claude')).code).toBe(2)
    made.write({ 'jurist.config.mjs': 'nonsense(' })
    using unread = session(made, 'four')
    expect((await unread.stop()).code).toBe(3)
  })

  testOnce('an abstention lets the agent stop, with a note', async () => {
    using made = project({
      'jurist.config.mjs':
        "import { abstain } from 'jurist'\nexport default { juries: { done: () => abstain('nothing to see') } }\n",
    })
    using agent = session(made)
    await agent.start()
    expect((await agent.stop(false)).said).toEqual({ systemMessage: 'The jury "done" decides nothing: nothing to see' })
  })

  testOnce('a project without a config is left alone, says so, and is judged from the moment it has one', async () => {
    using made = project()
    using agent = session(made)
    expect(await agent.start()).toMatchObject({ code: 0, said: {}, stderr: '' })
    const { code, said, stderr } = await agent.stop(false)
    expect([code, said]).toEqual([0, {}])
    expect(stderr).toBe(
      `jurist: Nothing was judged: no jurist.config file in ${made.directory} or above. Make one there: jurist hook install claude\n`,
    )
    made.write({ 'jurist.config.yaml': readme })
    expect((await agent.stop(false)).said).toMatchObject({
      decision: 'block',
      reason: expect.stringContaining('The session had begun before its config was copied.'),
    })
  })

  testOnce(
    'a config of a subdirectory judges an agent that works in another one, also without a start of its session',
    async () => {
      using made = project({ 'evals/jurist.config.yaml': readme, 'src/deep/index.js': '' })
      const installed = await made.jurist(
        '-c',
        'evals/jurist.config.yaml',
        '--results',
        'evals/results',
        'hook',
        'install',
        'claude',
      )
      const { hooks } = JSON.parse(readFileSync(join(made.directory, '.claude/settings.json'), 'utf8'))
      const { command } = hooks.Stop[0].hooks[0]
      const cwd = join(made.directory, 'src/deep')
      const env = { PATH: process.env.PATH ?? '', HOME: made.directory, CLAUDE_PROJECT_DIR: made.directory }
      const input = JSON.stringify({ session_id: 'a', cwd, stop_hook_active: false })
      const { stdout, status } = spawnSync('sh', ['-c', command], { cwd, env, input, encoding: 'utf8' })
      expect([status, JSON.parse(stdout).decision]).toEqual([0, 'block'])
      expect(existsSync(join(made.directory, 'evals/results/hook'))).toBe(true)
      expect(installed.stdout).toContain(
        'jurist -c evals/jurist.config.yaml --results evals/results list --kind hook\n',
      )
      expect(command).not.toContain(made.directory)
    },
  )

  testOnce('hidden tests stay hidden: names without reasons, unless --reveal says otherwise', async () => {
    const hiding = `import { allOf, fail } from 'jurist'
// overlay
const checks = [{ name: 'adds', passed: false, message: 'expected 42', location: { path: 'tests/sum.test.js', line: 3 } }]
export default { juries: { done: allOf(() => fail('expected 42', { checks })) } }
`
    using made = project({ 'jurist.config.mjs': hiding })
    const reasonOf = async (...how: readonly string[]) => {
      using agent = session(made, how.join(), how)
      return (await agent.stop(false)).said.reason.split('\n').slice(0, 3).join('\n')
    }
    expect(await reasonOf()).toMatch(/adds \(tests\/sum\.test\.js:3\)/)
    expect(await reasonOf()).not.toContain('42')
    expect(await reasonOf('--reveal', 'reasons')).toContain('expected 42')
    expect(await reasonOf('--reveal', 'nothing')).not.toContain('adds')
  })

  testOnce('a jury that takes too long decides nothing', async () => {
    using made = project({ 'jurist.config.mjs': 'export default { juries: { done: () => new Promise(() => {}) } }\n' })
    using agent = session(made, 'slow', ['--timeout', '50ms'])
    expect(await agent.stop(false)).toMatchObject({ code: 3, stderr: expect.stringContaining('decides nothing') })
  })

  testOnce('results that cannot be written open no gate', async () => {
    using made = project({ 'jurist.config.yaml': readme, results: 'a file' })
    using agent = session(made)
    await agent.start()
    const { said, stderr, code } = await agent.stop(false)
    expect([said.decision, code]).toEqual(['block', 0])
    expect(stderr).toContain('The judgment is not in the results: ')
  })

  testOnce('after an edit: no count of blocks, and no jury that calls models', async () => {
    const model = 'models: { m: { provider: openai-compatible, baseUrl: "http://127.0.0.1:9", model: m } }\n'
    using made = project({
      'jurist.config.yaml': `${model}juries:\n  done: { type: file-exists, path: README.md }\n  meaning: { type: correctness, model: m }\n`,
    })
    using agent = session(made, 'edits', ['--max', '0'])
    await agent.start()
    expect((await agent.edit()).said).toMatchObject({ decision: 'block' })
    using other = session(made, 'model', ['--jury', 'meaning'])
    expect(await other.edit()).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('calls models, which is too slow'),
    })
  })

  testOnce('an agent that works by the settings that install wrote stops when its work is done', async () => {
    using made = project({ 'package.json': '{ "scripts": { "test": "node --test" } }' })
    made.write({
      'sum.test.mjs':
        "import test from 'node:test'\nimport { equal } from 'node:assert'\nimport { sum } from './sum.mjs'\ntest('adds', () => equal(sum(1, 2), 3))\n",
    })
    using agent = session(made)
    const { home } = agent
    const { stdout } = await made.juristWith({ HOME: home }, 'hook', 'install', 'claude')
    expect(stdout).toContain('+      tests: { type: tests-pass, tool: npm, timeoutMs: 80000 }')
    const { hooks } = JSON.parse(readFileSync(join(made.directory, '.claude/settings.json'), 'utf8'))
    const results = await made.results.variables([])
    const run = (event: string, more: object) => {
      const [
        {
          hooks: [{ command }],
        },
      ] = hooks[event]
      const input = JSON.stringify({ session_id: 'a', cwd: made.directory, hook_event_name: event, ...more })
      const env = { PATH: process.env.PATH ?? '', HOME: home, ...results }
      return JSON.parse(spawnSync('sh', ['-c', command], { cwd: made.directory, env, input, encoding: 'utf8' }).stdout)
    }
    run('SessionStart', {})
    const tries = ['export const sum = () => 0\n', 'export const sum = (a, b) => a + b\n']
    const said: string[] = []
    for (const [index, text] of tries.entries()) {
      writeFileSync(join(made.directory, 'sum.mjs'), text)
      const { decision, reason } = run('Stop', { stop_hook_active: index > 0 })
      if (decision !== 'block') break
      said.push(reason)
    }
    expect(said).toHaveLength(1)
    expect(said[0]).toContain('adds')
    expect(await trialsOf(made)).toMatchObject([{ passed: false }, { passed: true }])
  })
})

/** What a person reads when a later session starts in a project whose config judged one session. */
async function toldAfter(made: Project, change: () => void): Promise<string | undefined> {
  using first = session(made, 'first')
  await first.start()
  await first.stop(false)
  change()
  const { said, code } = await session(made, 'second').start()
  expect(code).toBe(0)
  expect(Object.keys(said).filter((key) => key !== 'systemMessage')).toEqual([])
  return said.systemMessage?.split('\n').slice(1, -1).join('\n')
}

const by = (hash: string, name: string) =>
  `commit ${hash.slice(0, 7)} of ${name} <${name}@example.org>, ${new Date().toISOString().slice(0, 10)}`
const right = 'juries:\n  done: { type: file-content, path: a.txt, contains: right }\n'
const wrong = right.replace('right', 'wrong')

/** Projects whose config judged a session, what happens to them, and what a person reads when the next one starts. */
const changes: readonly {
  readonly what: string
  readonly files?: Readonly<Record<string, string>>
  readonly hasNoCommit?: true
  readonly change: (made: Project) => string
}[] = [
  {
    what: 'a weaker config by a commit',
    change: (made) => {
      made.write({ 'jurist.config.yaml': wrong })
      return `- jurist.config.yaml was changed: ${by(commit(made, 'agent'), 'agent')}`
    },
  },
  {
    what: 'one that a later commit covers',
    change: (made) => {
      made.write({ 'jurist.config.yaml': wrong })
      const first = commit(made, 'agent')
      made.write({ 'jurist.config.yaml': `${wrong}\n` })
      const second = commit(made, 'Ann\u001b[2J')
      return `- jurist.config.yaml was changed: ${by(second, 'Ann')}; ${by(first, 'agent')}`
    },
  },
  {
    what: 'other commits, and changes that are not committed',
    change: (made) => {
      made.write({ 'other.txt': 'x' })
      commit(made)
      made.write({ 'jurist.config.yaml': wrong })
      return ''
    },
  },
  {
    what: 'a config that is not committed, without a commit of it',
    hasNoCommit: true,
    change: (made) => {
      made.write({ 'jurist.config.yaml': wrong })
      return '- jurist.config.yaml was changed: not by a commit'
    },
  },
  {
    what: 'a renamed config',
    change: (made) => {
      rmSync(join(made.directory, 'jurist.config.yaml'))
      made.write({ 'jurist.config.yml': right })
      const hash = commit(made)
      return [
        `- jurist.config.yaml was removed: ${by(hash, 'a')}`,
        `- jurist.config.yml was added: ${by(hash, 'a')}`,
      ].join('\n')
    },
  },
  {
    what: 'a removed config',
    change: (made) => {
      rmSync(join(made.directory, 'jurist.config.yaml'))
      return '- jurist.config.yaml was removed: not by a commit'
    },
  },
  {
    what: 'a module that the config names',
    files: {
      'jurist.config.yaml': 'juries:\n  done: { module: judges/done.mjs, export: done }\n',
      'judges/done.mjs': "import { says } from './says.mjs'\nexport const done = () => says\n",
      'judges/says.mjs': 'export const says = false\n',
    },
    change: (made) => {
      made.write({ 'judges/says.mjs': 'export const says = true\n' })
      return `- judges/says.mjs was changed: ${by(commit(made, 'agent'), 'agent')}`
    },
  },
  {
    what: 'a plug-in that the config names',
    files: {
      'jurist.config.yaml': `plugins:\n  - './plugin.mjs'\n${right}`,
      'plugin.mjs': 'export default {}\n',
    },
    change: (made) => {
      made.write({ 'plugin.mjs': 'export default { judges: {} }\n' })
      return `- plugin.mjs was changed: ${by(commit(made, 'agent'), 'agent')}`
    },
  },
]

describe.concurrent('a config that is not accepted', () => {
  testOnce.each(changes)('$what', async ({ files, hasNoCommit, change }) => {
    using made = project(files ?? { 'jurist.config.yaml': right })
    if (hasNoCommit === undefined) commit(made)
    let expected = ''
    const told = await toldAfter(made, () => {
      expected = change(made)
    })
    expect(told ?? '').toBe(expected)
  })

  testOnce('the person reads of it in every session until it is accepted, and the agent does not', async () => {
    using made = project({ 'jurist.config.yaml': right, 'a.txt': 'no' })
    commit(made)
    using agent = session(made, 'one')
    await agent.start()
    made.write({ 'jurist.config.yaml': wrong })
    commit(made, 'agent')
    const told = /^The config that judges this session is not accepted.*\n- jurist\.config\.yaml was changed: commit/
    const late = (await session(made, 'late').stop(false)).said
    expect(late).toMatchObject({ decision: 'block', systemMessage: expect.stringMatching(told) })
    expect(late.reason).not.toContain('accepted')
    expect((await session(made, 'other').start()).said.systemMessage).toMatch(told)
    const accept = () => made.juristWith({ HOME: agent.home }, 'hook', 'accept')
    expect(await accept()).toMatchObject({ code: 2, stderr: expect.stringContaining('Only a person may accept') })
    expect(inTerminal(made, agent.home, 'n')).toContain('Nothing was accepted.')
    expect((await session(made, 'other').start()).said.systemMessage).toMatch(told)
    expect(inTerminal(made, agent.home, 'y')).toMatch(/jurist\.config\.yaml was changed: commit.*Accepted\./s)
    expect((await session(made, 'other').start()).said).toEqual({})
    expect(await accept()).toMatchObject({ code: 0, stderr: expect.stringContaining('There is nothing to accept') })
    made.write({ 'jurist.config.yaml': right })
    commit(made)
    expect((await session(made, 'three').start()).said.systemMessage).toMatch(told)
  })

  testOnce('so does a nearer config, and a second one', async () => {
    using made = project({ 'jurist.config.yaml': right, 'sub/a.txt': '' })
    using agent = session(made)
    await agent.start()
    made.write({ 'sub/jurist.config.yaml': wrong })
    const below = { cwd: join(made.directory, 'sub') }
    const { said } = await session(made, 'below').stop(false, below)
    expect(said.systemMessage).toContain('- jurist.config.yaml was added: not by a commit')
    made.write({ 'jurist.config.yml': wrong })
    const { code, said: both } = await session(made, 'both').start()
    expect([code, both.systemMessage]).toEqual([0, expect.stringContaining('This session will not be judged: ')])
  })
})

/** What `jurist hook accept` prints in a terminal in which somebody presses a key. */
function inTerminal({ directory }: Project, home: string, key: string): string {
  const env = { PATH: process.env.PATH ?? '', HOME: home, TERM: 'xterm' }
  const words = `'${process.execPath}' '${commandFile}' hook accept`
  return spawnSync('script', ['-qec', words, '/dev/null'], { cwd: directory, env, input: key, encoding: 'utf8' }).stdout
}

describe.concurrent('jurist hook install', () => {
  testOnce('the guide: its config, its command, and what the agent reads', async () => {
    const guide = readFileSync(new URL('../../../../../docs/guide/hooks.md', import.meta.url), 'utf8')
    const [, yaml = ''] = /```yaml\n(.*?)```/s.exec(guide) ?? []
    const [, words = ''] = /npx jurist (hook install claude)/.exec(guide) ?? []
    using made = project({ 'jurist.config.yaml': yaml, 'package.json': '{ "scripts": { "test": "node --test" } }' })
    expect((await made.jurist(...words.split(' '))).code).toBe(0)
    using agent = session(made)
    expect(guide).toContain(`\n\`\`\`\n${(await agent.stop(false)).said.reason.split('\nThe session')[0]}\n\`\`\`\n`)
  })

  testOnce.each([
    ['claude', '.claude/settings.json'],
    ['codex', '.codex/hooks.json'],
    ['cursor', '.cursor/hooks.json'],
  ])('%s: keeps the other settings, replaces its own hooks, and writes nothing with --dry-run', async (agent, file) => {
    using made = project({
      'jurist.config.yaml': readme,
      [file]: '{ "model": "x", "hooks": { "Stop": [{ "hooks": [{ "type": "command", "command": "say done" }] }] } }',
    })
    const settings = () => readFileSync(join(made.directory, file), 'utf8')
    const before = settings()
    expect((await made.jurist('hook', 'install', agent, '--dry-run')).stdout).toContain('Nothing was written')
    expect(settings()).toBe(before)
    await made.jurist('hook', 'install', agent, '--max', '5')
    await made.jurist('hook', 'install', agent, '--max', '2')
    expect(settings()).toContain('"model": "x"')
    expect(settings()).toContain('say done')
    expect(settings().match(/hook stop .*--max \d/g)).toEqual([expect.stringContaining('--max 2')])
    expect(settings().match(/hook start --client \w+/g)).toEqual([`hook start --client ${agent}`])
  })

  testOnce('settings of a project name no path of this machine where jurist is among its packages', async () => {
    using made = project({ 'jurist.config.yaml': readme, 'packages/shop/jurist.config.yaml': readme })
    execFileSync('git', ['init', '--quiet'], { cwd: made.directory })
    const settingsIn = (place: string, program: string, client: 'claude' | 'codex') => {
      const cwd = join(made.directory, place)
      const words = [program, '-c', '../evals/jurist.config.yaml', 'hook', 'install', client]
      mkdirSync(join(cwd, '../evals'), { recursive: true })
      writeFileSync(join(cwd, '../evals/jurist.config.yaml'), readme)
      const { stderr } = spawnSync(process.execPath, words, { cwd, encoding: 'utf8' })
      const settings = readFileSync(
        join(cwd, client === 'claude' ? '.claude/settings.json' : '.codex/hooks.json'),
        'utf8',
      )
      return { settings, stderr, command: JSON.parse(settings).hooks.Stop[0].hooks[0].command as string }
    }
    // Otherwise the path is written, and named.
    const absolute = settingsIn('.', commandFile, 'claude')
    expect(absolute.settings).toContain(commandFile)
    expect(absolute.stderr).toContain('npx jurist')
    mkdirSync(join(made.directory, 'node_modules/.bin'), { recursive: true })
    symlinkSync(commandFile, join(made.directory, 'node_modules/.bin/jurist'))
    const claude = '"$CLAUDE_PROJECT_DIR"'
    const codex = '"$(git rev-parse --show-toplevel)"'
    for (const [client, place, program, config] of [
      ['claude', '.', `${claude}/node_modules`, `${claude}/../evals`],
      ['claude', 'packages/shop', `${claude}/../../node_modules`, `${claude}/../evals`],
      ['codex', '.', `${codex}/node_modules`, `${codex}/../evals`],
      ['codex', 'packages/shop', `${codex}/node_modules`, `${codex}/packages/evals`],
    ] as const) {
      const { settings, command } = settingsIn(place, join(made.directory, 'node_modules/.bin/jurist'), client)
      expect(command).toContain(`${program}/.bin/jurist -c ${config}/jurist.config.yaml hook stop`)
      expect(settings).not.toContain(made.directory)
      // A hook whose program is not found would let every agent stop.
      const env = { ...process.env, CLAUDE_PROJECT_DIR: join(made.directory, place) }
      const files = command.slice(0, command.indexOf(' hook stop')).replace(' -c ', ' ')
      const found = spawnSync('sh', ['-c', `ls ${files}`], { cwd: join(made.directory, 'packages/shop'), env })
      expect([client, place, found.status]).toEqual([client, place, 0])
    }
  })

  testOnce('refuses a jury that the config does not have, settings that are no JSON, and edits in Cursor', async () => {
    using made = project({ 'jurist.config.yaml': readme, '.codex/hooks.json': 'hooks:' })
    const refused = async (...words: readonly string[]) => {
      const { code, stderr } = await made.jurist('hook', 'install', ...words)
      expect(code).toBe(2)
      return stderr
    }
    expect(await refused('claude', '--jury', 'dome')).toContain('Did you mean "done"?')
    expect(await refused('codex')).toContain('hooks.json is not a JSON object. Nothing was written.')
    expect(await refused('cursor', '--on', 'edit')).toContain('Cursor takes no answer after an edit.')
    expect(existsSync(join(made.directory, '.claude'))).toBe(false)
  })

  testOnce('for the user: in the home directory, without a config of the project', async () => {
    using made = project()
    const home = join(made.directory, 'home')
    const { code, stdout } = await made.juristWith({ HOME: home }, 'hook', 'install', 'codex', '--scope', 'user')
    expect([code, existsSync(join(home, '.codex/hooks.json'))]).toEqual([0, true])
    expect(existsSync(join(made.directory, 'jurist.config.yaml'))).toBe(false)
    expect(stdout).toContain('Codex asks the jury "done" when it wants to stop')
  })

  testOnce('settings of the user name a config by its absolute path', async () => {
    using made = project({ 'jurist.config.yaml': readme })
    const home = join(made.directory, 'home')
    await made.juristWith({ HOME: home }, '-c', 'jurist.config.yaml', 'hook', 'install', 'claude', '--scope', 'user')
    const settings = readFileSync(join(home, '.claude/settings.json'), 'utf8')
    expect(settings).toContain(`-c ${join(made.directory, 'jurist.config.yaml')} hook stop`)
  })
})
