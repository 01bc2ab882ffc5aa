import { type Dialect, encodeResult } from '../../protocol/dialect.js';
import type { PipelineResult } from '../../protocol/results.js';

/** Results as JSON. What the trace and the answer have in common is written once for both. */
export class ResultText {
  private last: { result: PipelineResult; members: string } | undefined;

  /** The whole result in the client's dialect. @throws TypeError when it has no JSON */
  answer(result: PipelineResult, dialect: Dialect): string {
    const types = typesOf(encodeResult(result, dialect));
    const text = join(`"objectId":${JSON.stringify(result.objectId)}`, types, this.members(result));
    this.last = undefined;
    return text;
  }

  /** The result without what identifies the object, as a trace shows it. @throws TypeError when it has no JSON */
  response(result: PipelineResult): string {
    return join(typesOf(result), this.members(result));
  }

  private members(result: PipelineResult): string {
    // With embedded objects the result goes on growing after its first trace.
    if (this.last?.result === result && result['objects'] === undefined) return this.last.members;
    const { objectId: _objectId, result_types: _types, ...rest } = result;
    const members = JSON.stringify(rest).slice(1, -1);
    this.last = { result, members };
    return members;
  }
}

function typesOf({ result_types: types }: PipelineResult): string {
  return types === undefined ? '' : `"result_types":${JSON.stringify(types)}`;
}

function join(...members: string[]): string {
  return `{${members.filter((member) => member !== '').join(',')}}`;
}
