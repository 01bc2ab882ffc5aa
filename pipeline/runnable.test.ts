import { describe, expect, it } from 'vitest';
import { catalogue, component, links, pipeline } from './fixtures.js';
import { buildGraph } from './graph.js';
import type { PipelineComponent } from './model.js';
import { checkRunnable } from './runnable.js';

function check(...components: PipelineComponent[]): string[] {
  const value = pipeline(...components);
  const found = checkRunnable(value, buildGraph(value, components[0]?.id ?? ''), catalogue);
  return found.map(({ severity, code, path, message }) => `${severity} ${code} ${path?.join('.')}: ${message}`);
}

const webhook = component('in', 'webhook');
const chat = component('in', 'chat');
const agent = component('agent', 'agent', { input: links('in.questions') });
const llmOf = (id: string, from = 'agent'): PipelineComponent =>
  component(id, 'llm_gemini', { control: [{ from, classType: 'llm' }] });

describe('checkRunnable', () => {
  it('finds nothing in a pipeline that can run', () => {
    expect(
      check(
        webhook,
        component('parse', 'parse', { input: links('in.tags') }),
        component('out', 'text_response', { input: links('parse.text', 'in.text') }),
      ),
    ).toEqual([]);
    expect(
      check(chat, agent, llmOf('llm'), component('out', 'response_answers', { input: links('agent.answers') })),
    ).toEqual([]);
  });

  it('refuses unknown providers, with what may be meant', () => {
    expect(check(webhook, component('x', 'prase', { input: links('in.tags') }))).toEqual([
      'error provider_unknown components.1.provider: Component "x": unknown provider "prase"; did you mean "parse"?',
    ]);
  });

  it('refuses planned providers and says what to do instead', () => {
    expect(check(webhook, component('x', 'neo4j', { input: links('in.text') }))).toEqual([
      'error provider_planned components.1.provider: Component "x": provider "neo4j" (Neo4j) is not part of this release. Use db_postgres instead.',
    ]);
  });

  it('says nothing about components that are not reached', () => {
    expect(check(webhook, component('x', 'neo4j'), component('y', 'nothing', { input: links('x.table') }))).toEqual([]);
  });

  it('refuses a lane that is not sent or not taken, naming those that are', () => {
    expect(check(webhook, component('out', 'response_answers', { input: links('in.image') }))).toEqual([
      'error lane_not_produced components.1.input.0.lane: Component "out": "in" (Web hook) does not send "image"; it sends "tags", "text", "questions"',
      'error lane_not_accepted components.1.input.0.lane: Component "out" (Return answers) does not take "image"; it takes "answers"',
    ]);
    expect(check(webhook, component('x', 'chat', { input: links('in.text') }))).toEqual([
      'error lane_not_accepted components.1.input.0.lane: Component "x" (Chat) does not take "text"; it takes no input',
    ]);
  });

  it('accepts lanes that are served without being listed, with a warning', () => {
    expect(
      check(
        webhook,
        component('docs', 'response_documents', { input: links('in.documents') }),
        component('answers', 'response_answers', { input: links('in.answers') }),
        component('db', 'db_postgres', { input: links('in.table') }),
      ).map((line) => line.split(':')[0]),
    ).toEqual([
      'warning lane_unlisted components.1.input.0.lane',
      'warning lane_unlisted components.2.input.0.lane',
      'warning lane_unlisted components.3.input.0.lane',
      'warning lane_unlisted components.3.input.0.lane',
    ]);
  });

  it('refuses a cycle and shows it', () => {
    expect(
      check(
        webhook,
        component('a', 'upper', { input: links('in.text', 'b.text') }),
        component('b', 'upper', { input: links('a.text') }),
      ),
    ).toEqual([
      'error cycle components.1.input: The components form a cycle: a → b → a. Remove one of these input links',
    ]);
  });

  it('refuses an agent without a model and says how to give it one', () => {
    expect(check(chat, agent)).toEqual([
      'error control_missing components.1: Component "agent" (Agent) needs a component as its llm: add "control": [{"classType":"llm","from":"agent"}] to the component it is to use',
    ]);
  });

  it('refuses more controlled components than are taken', () => {
    expect(check(chat, agent, llmOf('one'), llmOf('two'))).toEqual([
      'error control_too_many components.1: Component "agent" (Agent) takes at most 1 as its llm, but is given "one", "two"',
    ]);
  });

  it('does not count a component that cannot serve', () => {
    const wrong = component('wrong', 'memory_internal', { control: [{ from: 'agent', classType: 'llm' }] });
    expect(check(chat, agent, wrong).map((line) => line.split(':')[0])).toEqual([
      'error control_missing components.1',
      'warning control_not_offered components.2.control',
    ]);
  });

  it('takes an unknown or planned provider for the model it is wired as', () => {
    const planned = component('llm', 'neo4j', { control: [{ from: 'agent', classType: 'llm' }] });
    expect(check(chat, agent, planned).map((line) => line.split(' ')[1])).toEqual(['provider_planned']);
  });
});
