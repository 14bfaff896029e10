import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { scriptedServer } from '../../packages/bridges/testing/index.js'
import { templates } from '../../packages/jurist/src/commands/init/templates.js'
import { isWithoutBrowser } from '../e2e/page/browser.js'
import { fencesOf } from './fences.js'
import { commandsInTable, commandsOf, type FirstDay, type Newcomer, newcomer } from './newcomer.js'
import { asked, clone, isShell, repository, right, section, write } from './packed-walk.js'

/** A clerk who answers fifty questions from a page each: five answers are wrong, and five say more than their page. */
const questions = Array.from({ length: 50 }, (_, n) => ({
  days: n + 10,
  answered: n % 10 === 3 ? n + 11 : n + 10,
  more: n % 10 === 7 ? ' It is free.' : '',
}))
const answers = [
  'id,question,answer,ground_truth,contexts',
  ...questions.map(
    ({ days, answered, more }, n) =>
      `q${n + 1},How many days may I return article ${n + 1}?,${answered} days.${more},${days} days,"[""Article ${n + 1}: ${days} days.""]"`,
  ),
].join('\n')

/** Stands for the model: a claim is a sentence of the answer, and is supported when the context has all of its words. */
function scriptedJudge(body: Readonly<Record<string, unknown>>): string {
  const prompt = JSON.parse(JSON.stringify(body['messages'])).at(-1).content as string
  const part = (name: string) =>
    new RegExp(`<<${name} (\\w+)>>\\n([\\s\\S]*?)\\n<<end ${name} \\1>>`).exec(prompt)?.[2] ?? ''
  const sentences = (text: string) => text.split(/(?<=\.)\s+/).filter(Boolean)
  if (prompt.startsWith('Take the answer apart')) return JSON.stringify({ claims: sentences(part('answer')) })
  const words = new Set(part('context').match(/\w+/g))
  const verdicts = part('claims')
    .split('\n')
    .map((line) => line.replace(/^\d+\. /, ''))
    .map((claim, index) => {
      const isSupported = (claim.match(/\w+/g) ?? []).every((word) => words.has(word))
      return { claim: index + 1, supported: isSupported ? 'yes' : 'no' }
    })
  return JSON.stringify({ verdicts })
}

interface Persona {
  readonly who: string
  /** The most clicks that the questions of the first day take. */
  readonly clicks: number
  readonly start?: string
  readonly lives: (one: Newcomer) => Promise<void>
}

/** A row of "Choose your path" in the README, then what the README of the project that it makes says. */
async function begin(one: Newcomer, path: string): Promise<void> {
  for (const command of commandsInTable('README.md', path)) await one.run(command)
  one.cwd = join(one.cwd, 'my-evals')
  await tour(one)
}

/** Runs the commands of the project's own README, but not the page, which serves until it is interrupted. */
async function tour(one: Newcomer): Promise<string> {
  let printed = ''
  for (const command of commandsOf(one.read('README.md'))) {
    if (/^npx jurist view|^git push|^npm install/.test(command)) continue
    // Every probe of `vet` takes minutes. The walk of the README vets all items of a dataset.
    printed += await one.run(command === 'npx jurist vet' ? 'npx jurist vet --quick --first 1' : command)
  }
  return printed
}

const day: readonly Persona[] = [
  {
    who: '1 a coding agent in CI',
    clicks: 2,
    async lives(one) {
      await begin(one, 'a coding agent')
      one.write('broken.mjs', '')
      one.edit(
        ['jurist.config.yaml', 'readable: [agent.mjs', 'readable: [agent.mjs, broken.mjs'],
        [
          'jurist.config.yaml',
          '    trustItems: true\n',
          '    trustItems: true\n    variants:\n      v1: {}\n      v2: { agent: { command: [node, broken.mjs] } }\n',
        ],
      )
      const [gate = ''] = commandsInTable('docs/guide/recipes.md', 'version 2 of the agent is worse than version 1')
      const printed = await one.run(`${gate.replace('NAME', 'fixes')} --reporter junit=report.xml`, 1)
      expect(printed).toMatch(/v1 +2\/2/)
      expect(printed).toMatch(/v2 +0\/2/)
      expect(printed).toMatch(/Missed: .*2 items regressed/)
      expect(one.read('report.xml')).toMatch(/<failure [^>]*includes the end: failed: [^>]*at test\/range\.test\.js:\d/)
      await one.view('npx jurist view', async ({ tab, click, link }) => {
        await click(tab.locator('tr', { hasText: 'v2' }).getByRole('link'))
        await click(link('initials'))
        await tab
          .getByText(/of \d+ required tests passed/)
          .first()
          .waitFor()
      })
    },
  },
  {
    who: '2 RAG, fifty answers, no agent',
    clicks: 2,
    async lives(one) {
      await begin(one, 'RAG, or answers that exist already')
      await using server = await scriptedServer(({ body }) => ({ text: scriptedJudge(body) }))
      // Model judges are a switch away, and the model is one on this machine.
      const config = one.read('jurist.config.yaml').replaceAll(/^#: /gm, '')
      one.write(
        'jurist.config.yaml',
        config.replace('https://api.openai.com/v1', `${server.url}/v1`).replace(/.*retrieval:.*\n/, ''),
      )
      one.write('questions.csv', answers)
      one.edit(['jurist.config.yaml', 'questions.jsonl', 'questions.csv'])
      const said = await one.run('npx jurist validate')
      expect(said.replaceAll(/\s+/g, ' ')).toContain('question → task, answer → output, ground_truth → expected')
      const printed = await one.run('OPENAI_API_KEY=unused npx jurist run', 1)
      expect(printed).toMatch(/Passed +40 of 50 decided +80\.0 %/)
      const failures = await one.run('npx jurist show latest --failures')
      expect(failures).toContain('How many days may I return article 4?')
      expect(failures).toContain('It is free.')
      await one.view('npx jurist view latest', async ({ tab, click }) => {
        await tab.getByText('How many days may I return article 8?').first().waitFor()
        await click(tab.getByRole('link', { name: 'q8', exact: true }))
        await tab.getByText('Article 8: 17 days.').first().waitFor()
        await tab.getByText('17 days. It is free.').first().waitFor()
      })
      // A model that writes prose judges nothing, and no gate is green.
      await using prose = await scriptedServer(() => ({ text: 'I think that this is a fine answer.' }))
      one.edit(['jurist.config.yaml', `${server.url}/v1`, `${prose.url}/v1`])
      expect(await one.run('OPENAI_API_KEY=unused npx jurist run', 1)).toContain(
        'faithful never judged: 50 of 50 abstained',
      )
    },
  },
  {
    who: '3 a support bot with tools',
    clicks: 3,
    start: clone,
    async lives(one) {
      const [said] = fencesOf('examples/conversation/README.md')
      one.cwd = join(clone, 'examples/conversation')
      const conversation = await one.run('npx jiti main.ts')
      expect(conversation.replaceAll(/ +$/gm, '')).toBe(said?.code)
      one.cwd = clone
      // The packed packages are built, and the page serves until it is interrupted.
      const blocks = fencesOf('examples/shop/README.md')
        .filter(isShell)
        .map(({ code }) => code.replace(/^npm run build && /, '').replace(/^.* view\n/m, ''))
      const printed = await one.run(blocks.join(''))
      expect(printed).toMatch(/pass\^k +k=1 0\.93/)
      expect(printed).toContain('Shall I change the address?  [find_order completed]')
      await one.view('npx jurist -C examples/shop view', async ({ tab, click, link }) => {
        await click(tab.locator('tr', { hasText: 'bad-day' }).getByRole('link'))
        await click(link('new-address'))
        await tab.getByText('change_address').first().waitFor()
        await tab.getByText('Order A-100 goes to the new address.').first().waitFor()
      })
    },
  },
  {
    who: '4 a lead with labels',
    clicks: 1,
    async lives(one) {
      one.copy('labels')
      one.cwd = join(one.cwd, 'labels')
      await one.run('npx jurist run always')
      const [first, shown] = fencesOf('docs/guide/calibrating.md')
      const [label = '', calibrate = ''] = first?.code.trim().split('\n') ?? []
      // The person of the example presses the keys.
      const keys = await one.run(
        `node -e "import('./person.mjs').then(({ person }) => person(['npx', ...'${label}'.split(' ')])).then(console.log)"`,
      )
      expect(keys).toBe('60\n')
      const printed = await one.run(calibrate)
      const flat = (text: string) => text.replaceAll(/\s+/g, ' ')
      expect(flat(printed)).toContain(flat(shown?.code.split('\n\n')[0] ?? 'There is no block.').trim())
      await one.run('npx jurist calibrate parcels --certify --run latest --certificate certificates/parcels.json')
      const decided = await one.run('npx jurist run certified --require-certificate certificates/parcels.json')
      expect(decided).toContain('Certificate')
      await one.view('npx jurist view always', async ({ tab, click, link }) => {
        await click(link('Calibration'))
        await tab
          .getByText(/9 of 20 trials that people fail/)
          .first()
          .waitFor()
      })
    },
  },
  {
    who: '5 the own repository',
    clicks: 1,
    async lives(one) {
      const directory = one.cwd
      repository(directory)
      const fences = section('README.md', '## A benchmark of your own repository')
      one.cwd = dirname(directory)
      const printed = await one.follow(fences)
      one.cwd = directory
      expect(printed).toContain('1 item of 2 commits')
      expect(printed).toContain('1 of 1 decided')
      await asked(directory, 'SessionStart')
      write(directory, { 'src/sum.js': 'export const sum = (a, b) => a - b\n' })
      expect(await asked(directory, 'Stop')).toMatchObject({ decision: 'block' })
      write(directory, { 'src/sum.js': right })
      expect(await asked(directory, 'Stop')).toEqual({})
      await one.view('npx jurist -C ../my-project-evals view latest', async ({ tab, click }) => {
        await click(tab.getByRole('link', { name: /numbers/ }))
        await tab
          .getByText(/Numbers in texts are added as numbers/)
          .first()
          .waitFor()
      })
    },
  },
  {
    who: '6 Vitest alone',
    clicks: 2,
    async lives(one) {
      await one.run('npx jurist init my-evals --template vitest')
      one.cwd = join(one.cwd, 'my-evals')
      const readme = one.read('README.md').replaceAll(/\s+/g, ' ')
      const [, pack = ''] = /`(npm run pack -- DIRECTORY [^`]+)`/.exec(readme) ?? []
      await one.run(`(cd "${clone}" && ${pack.replace('DIRECTORY', `"${one.cwd}"`)})`, 0, { online: true })
      expect(await tour(one)).toMatch(/Tests .*1 passed/)
      one.edit(['agent.ts', '# Hello', 'Hello'])
      const printed = await one.run('npx vitest run', 1)
      expect(printed).toContain('title fail: README.md does not match')
      await one.view('npx jurist view', async ({ tab, click }) => {
        await click(tab.getByRole('rowheader').locator('a[href^="#/runs/"]'))
        await click(tab.getByRole('link', { name: /the agent adds a readme/ }))
        await tab
          .getByText(/README\.md/)
          .first()
          .waitFor()
      })
    },
  },
  {
    who: '7 every template of init',
    clicks: 0,
    async lives(one) {
      const start = one.cwd
      for (const template of templates.filter((name) => !['vitest', 'coding', 'rag'].includes(name))) {
        one.cwd = start
        await one.run(`npx jurist init ${template} --template ${template} && cd ${template}`)
        expect(await tour(one), template).toMatch(/Passed +\d+ of \d+ decided/)
        expect(existsSync(join(one.cwd, 'results')), template).toBe(true)
      }
    },
  },
]

/**
 * The first day of seven persons, as the documents tell it. Prints how many commands, clicks and seconds each took; one click more
 * fails its test.
 */
export function personas(): void {
  const days: FirstDay[] = []
  describe('the first day of seven persons', () => {
    afterAll(() => {
      const rows = days.map(
        ({ who, commands, clicks, seconds }) =>
          `${who}: ${commands} commands, ${clicks} clicks, ${seconds.toFixed(1)} s`,
      )
      console.log(rows.join('\n'))
    })
    test.skipIf(isWithoutBrowser).each(day)('$who', async ({ who, clicks, start, lives }) => {
      const one = newcomer(who, start)
      days.push(one.day)
      await lives(one)
      expect(one.day.clicks).toBeLessThanOrEqual(clicks)
    })
  })
}
