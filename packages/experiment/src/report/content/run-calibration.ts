import { right } from '@jurist/kit/terminal'
import { errorSentence } from '../../calibrate/report/error-sentence.js'
import type { RunCalibration } from '../../label/calibrate-run.js'
import { estimateLines } from '../../label/estimate-run.js'
import type { JudgeOnLabels, LabelDisagreement } from '../../label/label-agreement.js'
import { counted, grouped, percent, three, unknown } from '../../result/amounts.js'
import { trialText } from '../../result/trial-figures.js'
import { lineSection, type Section, tableSection } from '../sections.js'
import { confusionSection } from './calibration.js'

const mostRead = 10
const longestText = 600

/** What each judge gets wrong, the jury first, and its confusion matrix. */
export function errorSections({ calibrations, run }: RunCalibration): readonly Section[] {
  const judges = Object.entries(calibrations).toSorted(
    ([one], [other]) => Number(other === 'jury') - Number(one === 'jury'),
  )
  const [first] = judges
  if (first === undefined) return []
  return [
    { title: `Run ${run} against its labels`, lines: judges.map(([name, { report }]) => errorSentence(name, report)) },
    ...confusionSection(first[1].report).map((section) => ({
      ...section,
      title: `${first[0]}: trials by label and judgment`,
    })),
  ]
}

/** The true pass rate by labels and verdicts. */
export function estimateSections({ estimate }: RunCalibration, commandLine: CommandLine): readonly Section[] {
  return [{ title: 'True pass rate, by labels and verdicts', lines: estimateLines(estimate, commandLine) }]
}

/** How far people agree with each other, and the consequences for the judges. */
export function peopleSections({ people, onLabels }: RunCalibration): readonly Section[] {
  const { annotators, trials, undecided, pairs, disagreements } = people
  const names = annotators.map((name) => name || 'a person without a name').join(', ')
  const lines = [
    `${counted(trials, 'trial')} labelled by ${names}; people differ on ${grouped(disagreements.length)}${undecided === 0 ? '' : `, of which ${grouped(undecided)} have no majority and are in no rate above`}.`,
    ...pairs.map(
      (pair) =>
        `${pair.annotators.join(' and ')} agree on ${grouped(pair.agreeing)} of ${counted(pair.trials, 'trial')} (kappa ${three(pair.kappa)}).`,
    ),
  ]
  return [
    ...lineSection('Labels', lines),
    ...(disagreements.length === 0 && pairs.length === 0 ? [] : noiseSection(onLabels)),
  ]
}

function noiseSection(judges: readonly JudgeOnLabels[]): readonly Section[] {
  const columns = [{ title: 'Judge' }, right('People agree'), right('One person'), right('People differ (labels)')]
  const cell = ({ matches, of }: JudgeOnLabels['agreed']) =>
    of === 0 ? unknown : `${grouped(matches)} of ${grouped(of)} (${percent(matches / of)})`
  const rows = judges.map(({ judge, agreed, single, contested }) => [
    judge,
    cell(agreed),
    cell(single),
    cell(contested),
  ])
  const [section] = tableSection('Error of the judge, or noise of the labels', columns, rows)
  const lines = [
    'Where people agree, a difference is most likely an error of the judge; where they differ, no judge can agree with all.',
  ]
  return section === undefined ? [] : [{ ...section, lines }]
}

type CommandLine = (...words: readonly string[]) => string

/**
 * Where judges and people differ, with reason and answer: an error of the judge, or a label to correct.
 *
 * @param commandLine the line of a command for where the report is read
 */
export function readingSections(calibration: RunCalibration, commandLine: CommandLine): readonly Section[] {
  const { disagreements } = calibration
  const judges = [...new Set(disagreements.map(({ judge }) => judge))]
  return judges.flatMap((judge) => {
    const own = disagreements.filter((one) => one.judge === judge)
    const read = own.slice(0, mostRead)
    const more = own.length === read.length ? '' : `; the first ${read.length} are shown, all are in the JSON document`
    const lines = ['Either the judge is wrong, or a label: the line under a trial says how it is labelled again.']
    return [
      { title: `${judge} differs from the label on ${counted(own.length, 'trial')}${more}`, lines },
      ...read.map((one) => entry(one, relabelText(commandLine, calibration, one))),
    ]
  })
}

/** How a trial is labelled again, in the file that the labels are from. */
function relabelText(
  commandLine: CommandLine,
  { run, labelsFile }: Pick<RunCalibration, 'run' | 'labelsFile'>,
  { itemId }: LabelDisagreement,
): string {
  if (labelsFile !== null && !labelsFile.endsWith('.jsonl')) return `change its row in ${labelsFile}`
  return commandLine('label', run, '--item', itemId, ...(labelsFile === null ? [] : ['--labels', labelsFile]))
}

function entry(disagreement: LabelDisagreement, again: string): Section {
  const { itemId, repetition, said, reason, labels, people, task, output } = disagreement
  const given = labels.map(
    ({ annotator, label, note }) => `${annotator || 'label'}: ${label}${note === null ? '' : ` (${note})`}`,
  )
  const sure = { agree: 'people agree on the label', one: 'one person labelled it', differ: 'people differ' }[people]
  return {
    title: `${trialText({ itemId, repetition })}: the judge says ${said}, ${sure}`,
    lines: [`Labels: ${given.join(', ')}`, `Reason: ${cut(reason)}`, `Task: ${cut(task)}`, `Again: ${again}`],
    code: output === null ? '(no answer)' : cut(output),
  }
}

function cut(text: string): string {
  return text.length <= longestText ? text : `${text.slice(0, longestText)} …`
}
