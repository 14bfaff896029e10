import { text } from 'node:stream/consumers'
import { setTimeout } from 'node:timers/promises'

// An agent waits for its model most of the time; this one waits a moment.
const task = await text(process.stdin)
await setTimeout(300)
const numbers = task.match(/\d+/g) ?? []
console.log(String(numbers.reduce((sum, number) => sum + Number(number), 0)))
