import { calibrateJudges } from 'jurist'

// Rows such as {"id":"q1","task":"…","label":"pass","said":{"gpt4":"1","palm2":"2"},"saidSwapped":{…}}
const { table, comparisons } = await calibrateJudges({
  name: 'pairs',
  items: 'pairs.jsonl',
  recorded: { pass: ['1'], fail: ['2'] },
})

for (const { judge, matches, scored, flipRate } of table)
  console.log(`${judge}: right on ${matches} of ${scored}, flips ${((flipRate ?? 0) * 100).toFixed(0)} %`)

for (const { judges, difference, holm, isDifferent } of comparisons)
  console.log(
    `${judges.join(' and ')}: ${isDifferent ? 'different' : 'not distinguishable'} (${difference}, ${holm.toFixed(3)})`,
  )
