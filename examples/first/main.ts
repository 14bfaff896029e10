import { cascade, commandSucceeds, consensus, fileContent, fileExists, jury, runExperiment } from 'jurist'
import { myAgent } from './my-agent.js'

const rules = jury({
  judges: { readme: fileExists('README.md'), title: fileContent('README.md', { matches: /^# \w+/ }) },
  vote: consensus(),
})
const proof = jury({ judges: { runs: commandSucceeds(['node', 'index.js']) } })

const run = runExperiment({
  name: 'add-readme',
  dataset: 'dataset',
  agent: myAgent,
  jury: cascade([
    { name: 'rules', jury: rules, policy: 'reject-on-any-fail' },
    { name: 'proof', jury: proof, policy: 'final' },
  ]),
  store: 'results',
})
const { passCount, counts } = await run.result
console.log(`${passCount} of ${counts.decided} decided items passed`)
