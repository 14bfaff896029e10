// A scripted optimizer: it edits prompts/rules.md, tries, and keeps what is accepted. It sees only the visible tickets.
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'

const file = 'prompts/rules.md'
let kept = readFileSync(file, 'utf8')

/** What `npx jurist` prints as JSON. An exit code above 0 is an answer, too. */
function jurist(...words) {
  const options = { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }
  try {
    return JSON.parse(execFileSync('npx', ['jurist', ...words, '--json'], options))
  } catch (thrown) {
    if (!thrown.stdout) throw thrown
    return JSON.parse(thrown.stdout)
  }
}

function tries(name, rules) {
  writeFileSync(file, rules)
  const { error, answer, looksLeft, visible } = jurist('ratchet', 'try')
  if (error) throw new Error(error.message)
  console.log(`${name}: ${visible?.passed ?? 'as many'} visible tickets right, ${answer}, ${looksLeft} looks left`)
  if (answer === 'accepted') kept = rules
  writeFileSync(file, kept)
  return visible?.run
}

/** The visible tickets that a run did not pass, with the right answer. */
function failures(run) {
  return jurist('show', run)
    .items.filter(({ passed }) => passed !== true)
    .map(({ task, expectedOutput }) => [task, expectedOutput.text])
}

const politeness = tries('say please', `Say please: other\n${kept}`)
const wrong = failures(politeness)
tries('learn tickets by heart', wrong.map(([task, label]) => `${task}: ${label}\n`).join('') + kept)

/** The words that occur in the most failures, and only in those of one label. */
const counts = new Map()
for (const [task, label] of wrong)
  for (const word of new Set(task.match(/[\w-]{4,}/g))) {
    const labels = counts.get(word) ?? new Map()
    counts.set(word, labels.set(label, (labels.get(label) ?? 0) + 1))
  }
const rules = [...counts]
  .filter(([, labels]) => labels.size === 1)
  .map(([word, labels]) => [word, ...[...labels][0]])
  .sort(([, , one], [, , other]) => other - one)
  .slice(0, 18)
  .map(([word, label]) => `${word}: ${label}\n`)
for (let end = 6; end <= rules.length; end += 6)
  tries(`words ${end - 5} to ${end}`, kept + rules.slice(end - 6, end).join(''))
