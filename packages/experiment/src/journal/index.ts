/**
 * What agents told while they worked, trial by trial.
 *
 * @example
 * import { readJournal } from '@jurist/experiment/journal'
 *
 * const { events } = await readJournal(path)
 * console.log(events.filter((event) => event.type === 'tool-call').map((event) => event.name))
 */
import '../errors.js'

export { readJournal } from './read-journal.js'
