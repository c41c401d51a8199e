/** WIRE: Google's generateContent, which the Gemini CLI speaks. */
import { recordIn, recordsIn, textIn } from '../../src/agents/json-line.ts'
import { type Answer, inTwo, type Json, sentData, type Turn, textOf, usage, type Wire } from './wire.ts'

const kinds: Record<number, string> = {
  401: 'UNAUTHENTICATED',
  429: 'RESOURCE_EXHAUSTED',
  500: 'INTERNAL',
  503: 'UNAVAILABLE',
}

export const gemini: Wire = {
  name: 'gemini',
  modelIn: (path) => /\/models\/([^/:]+):(?:streamGenerateContent|generateContent)$/.exec(path)?.[1] ?? null,
  read(body) {
    const wanted = recordIn(body.generationConfig)
    const turns = recordsIn(body.contents).flatMap(({ role, parts }): Turn[] => {
      if (role === 'model') return [{ who: 'model' }]
      return recordsIn(parts).map((part): Turn => {
        const { functionResponse: response } = part
        return response === undefined
          ? { who: 'user', text: textIn(part.text) }
          : { who: 'tool', result: JSON.stringify(recordIn(response).response) }
      })
    })
    const schema = recordIn(wanted.responseJsonSchema ?? wanted.responseSchema)
    return {
      system: textOf(recordIn(body.systemInstruction).parts),
      turns,
      tools: recordsIn(body.tools).flatMap((tool) =>
        recordsIn(tool.functionDeclarations).map((declared) => textIn(declared.name)),
      ),
      groups: {},
      schema: wanted.responseMimeType === 'application/json' ? schema : null,
    }
  },
  writing: (path, content) => ({ tool: 'write_file', input: { file_path: path, content } }),
  running: (command) => ({ tool: 'run_shell_command', input: { command } }),
  whole: (answer, { id, model }) => piece(partOf(answer, id), id, model, 'STOP'),
  stream(answer, { id, model }) {
    if ('tool' in answer) return [sentData(piece(partOf(answer, id), id, model, 'STOP'))]
    const [first = '', second = ''] = inTwo(answer.text)
    return [
      sentData(piece({ text: first }, id, model, null)),
      sentData(piece({ text: second }, id, model, 'STOP')),
    ]
  },
  refusal: (status) => ({
    error: { code: status, message: `Scripted ${status}`, status: kinds[status] ?? 'UNKNOWN' },
  }),
}

function partOf(answer: Answer, id: string): Json {
  if (!('tool' in answer)) return { text: answer.text }
  const call = { id: `call_${id}`, name: answer.tool, args: answer.input }
  // The Gemini CLI wants a thought signature from newer models; any value will do.
  return { functionCall: call, thoughtSignature: 'c2NyaXB0ZWQ=' }
}

function piece(part: Json, id: string, model: string, finishReason: 'STOP' | null): Json {
  return {
    candidates: [
      {
        index: 0,
        content: { role: 'model', parts: [part] },
        ...(finishReason === null ? {} : { finishReason }),
      },
    ],
    usageMetadata: {
      promptTokenCount: usage.input,
      candidatesTokenCount: usage.output,
      totalTokenCount: usage.input + usage.output,
    },
    modelVersion: model,
    responseId: `response_${id}`,
  }
}
