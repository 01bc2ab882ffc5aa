import type { PlannedProvider } from '../../pipeline/catalogue.js';

/** What several families are told. */
const later = {
  agent: 'Agents come later; use prompt with llm_ollama or llm_openai_api for single questions.',
  db: 'Query the database in your own program or in a component of your own; see docs/components.md.',
  web: 'Search in your own program or in a component of your own; see docs/components.md.',
  tool: 'Tools serve agents, which come later.',
  store: 'Return the documents with response_documents and store them in your own program for now.',
  embedding: 'Return the documents with response_documents and embed them in your own program for now.',
  vision: 'Send the image to the model in your own program, and its answer to a webhook pipeline.',
};

/**
 * Providers that existing pipelines name and that do not run in this release. Validation accepts them; starting a
 * pipeline that reaches one is refused with the sentence given here.
 */
export const plannedProviders: readonly PlannedProvider[] = [
  ...family([], {}, [
    ['indexer', 'Word indexer', 'It belongs to jobs of older products and does not run here.'],
    ['remote_server', 'Remote Server', 'It belongs to jobs of older products and does not run here.'],
    ['vectorizer', 'Vectorizer', 'It belongs to jobs of older products and does not run here.'],
  ]),
  ...family([], { _source: ['tags'] }, [
    ['null', 'Local File System', 'It belongs to jobs of older products; use filesys to read files.'],
  ]),
  ...family(['agent', 'tool'], { questions: ['answers'] }, [
    ['agent_crewai', 'CrewAI Agent', later.agent],
    ['agent_crewai_manager', 'CrewAI Manager', later.agent],
    ['agent_deepagent', 'Deep Agent', later.agent],
    ['agent_langchain', 'LangChain', later.agent],
    ['agent_rocketride', 'RocketRide Wave', later.agent],
  ]),
  ...family(['audio'], { audio: [], video: [] }, [
    ['audio_player', 'Player', 'Use response_audio and play the result in the program that receives it.'],
  ]),
  ...family(['audio'], { audio: ['text'], video: ['text'] }, [
    ['audio_transcribe', 'Transcribe', 'Transcribe before sending, and send the text to a webhook pipeline.'],
  ]),
  ...family(['audio'], { text: ['audio'], documents: ['audio'], questions: ['audio'], answers: ['audio'] }, [
    ['audio_tts', 'Text To Speech', 'Use response_text and turn the text into speech in the program that receives it.'],
  ]),
  ...family(['crewai'], {}, [['agent_crewai_subagent', 'CrewAI Subagent', later.agent]]),
  ...family(['data'], { tags: ['text', 'table'] }, [
    ['llamaparse', 'LlamaParse', 'Use parse, which reads documents on this machine.'],
    ['reducto', 'Reducto', 'Use parse, which reads documents on this machine.'],
  ]),
  ...family(['database', 'tool'], { answers: [], questions: ['table', 'text', 'answers'] }, [
    ['db_mysql', 'MySQL', later.db],
    ['db_postgres', 'PostgreSQL', later.db],
  ]),
  ...family(['database', 'tool'], { questions: ['table', 'text', 'answers'] }, [
    ['db_neo4j', 'Neo4J', later.db, ['graph_neo4j']],
  ]),
  ...family(['deepagent'], {}, [['agent_deepagent_subagent', 'Deep Agent Subagent', later.agent]]),
  ...family(['embedding'], { documents: ['documents'], image: ['documents'] }, [
    ['embedding_image', 'Image', later.embedding],
  ]),
  ...family(['embedding'], { documents: ['documents'], questions: ['questions'] }, [
    ['embedding_openai', 'OpenAI (Embedding)', later.embedding],
    ['embedding_transformer', 'Transformer', later.embedding],
  ]),
  ...family(['embedding'], { video: ['documents'] }, [['embedding_video', 'Video', later.embedding]]),
  ...family(['image'], { image: ['text'] }, [['accessibility_describe', 'Accessibility Describe', later.vision]]),
  ...family(['image'], { image: ['image'] }, [['image_cleanup', 'Cleanup', 'Convert images before sending them.']]),
  ...family(['image'], { image: ['text'], documents: ['documents'] }, [
    ['image_vision_gemini', 'Gemini Vision', later.vision, ['llm_vision_gemini']],
    ['image_vision_mistral', 'Mistral Vision', later.vision, ['llm_vision_mistral']],
    ['image_vision_ollama', 'Ollama Vision', later.vision, ['llm_vision_ollama']],
    ['image_vision_openai', 'OpenAI Vision', later.vision, ['llm_vision_openai']],
  ]),
  ...family(['image'], { documents: ['text'], image: ['text', 'table'] }, [
    [
      'ocr',
      'OCR',
      'Images need text recognition outside the pipeline for now; parse reads the text layer of PDF files.',
    ],
  ]),
  ...family(['image'], { image: ['documents', 'image'], documents: ['documents'] }, [
    ['thumbnail', 'Thumbnail', 'Make thumbnails in the program that receives the images.'],
  ]),
  ...family(['infrastructure'], {}, [
    ['remote', 'Remote Processing', 'Run the pipeline on the other server and send to it from your program.'],
  ]),
  ...family(['llm'], { questions: ['answers'] }, [
    [
      'llm_anthropic',
      'Anthropic',
      'Use llm_openai_api with base_url https://api.anthropic.com/v1, which speaks the OpenAI protocol.',
    ],
    ['llm_bedrock', 'Amazon Bedrock', 'Use llm_openai_api with the OpenAI-compatible endpoint of your Bedrock region.'],
    ['llm_deepseek', 'Deepseek', 'Use llm_openai_api with base_url https://api.deepseek.com/v1.'],
    [
      'llm_gemini',
      'Gemini',
      'Use llm_openai_api with base_url https://generativelanguage.googleapis.com/v1beta/openai.',
    ],
    ['llm_gmi_cloud', 'GMI Cloud', 'Use llm_openai_api with the address of your GMI Cloud endpoint as base_url.'],
    ['llm_mistral', 'Mistral AI', 'Use llm_openai_api with base_url https://api.mistral.ai/v1.'],
    ['llm_openai', 'OpenAI', 'Use llm_openai_api with base_url https://api.openai.com/v1.'],
    ['llm_perplexity', 'Perplexity', 'Use llm_openai_api with base_url https://api.perplexity.ai.'],
    ['llm_qwen', 'Qwen', 'Use llm_openai_api with base_url https://dashscope-intl.aliyuncs.com/compatible-mode/v1.'],
    ['llm_xai', 'xAI', 'Use llm_openai_api with base_url https://api.x.ai/v1.'],
  ]),
  ...family(['memory'], {}, [['memory_internal', 'Memory (Internal)', 'Memory serves agents, which come later.']]),
  ...family(['memory'], { questions: ['questions'], answers: ['answers'] }, [
    ['memory_persistent', 'Persistent Memory', 'Keep state in the program that calls the pipeline.'],
  ]),
  ...family(['other'], {}, [
    ['autopipe', 'Parse/Process/Embed', 'Write the steps out: parse, preprocessor_langchain and a response.'],
  ]),
  ...family(['preprocessor'], { text: ['documents'] }, [
    [
      'preprocessor_code',
      'Code',
      'Use preprocessor_langchain with the profile recursive and separators of the language.',
    ],
  ]),
  ...family(['preprocessor'], { table: ['documents'], text: ['documents'] }, [
    ['preprocessor_llm', 'LLM', 'Use preprocessor_langchain, which splits without a model.'],
  ]),
  ...family(['rerank'], { questions: ['documents', 'answers'] }, [
    ['rerank_cohere', 'Cohere Rerank', 'Order the documents in the program that receives them.'],
  ]),
  ...family(['search'], { questions: ['answers', 'text'] }, [['search_exa', 'Exa Search', later.web]]),
  ...family(['source'], { _source: ['text', 'image', 'audio', 'video', 'tags'] }, [
    ['telegram', 'Telegram Bot', 'Let a bot program receive the messages and send them to a webhook pipeline.'],
  ]),
  ...family(['store'], { documents: [], questions: ['documents', 'answers', 'questions'] }, [
    ['astra_db', 'Astra DB', later.store],
    ['chroma', 'Chroma', later.store],
    ['milvus', 'Milvus', later.store],
    ['mongodb+srv', 'MongoDB Atlas', later.store, ['atlas', 'mongodb']],
    ['pinecone', 'Pinecone', later.store],
    ['postgres', 'PostgreSQL (pgvector)', later.store, ['vectordb_postgres', 'pgvector']],
    ['qdrant', 'Qdrant', later.store, ['store_qdrant']],
    ['weaviate', 'Weaviate', later.store],
  ]),
  ...family(['store'], { text: [], documents: [], questions: ['text', 'documents', 'answers', 'questions'] }, [
    ['elasticsearch', 'Elasticsearch', later.store],
  ]),
  ...family(['store'], { text: [], documents: [], questions: ['text', 'answers', 'documents'] }, [
    ['opensearch', 'OpenSearch', later.store],
  ]),
  ...family(['target'], { text: [] }, [
    [
      'text-output',
      'Text Output',
      'Use local-text-output with a folder of this machine, a mounted share for example.',
      ['text_output'],
    ],
  ]),
  ...family(['target'], {}, [['zip', 'ZIP Creation', 'It belongs to jobs of older products and does not run here.']]),
  ...family(['text'], { text: ['documents'] }, [
    [
      'dictionary',
      'Dictionary',
      'Use prompt with an instruction to list terms and definitions, then llm_ollama or llm_openai_api.',
    ],
  ]),
  ...family(['text'], { table: ['answers', 'documents'], text: ['answers', 'documents'] }, [
    [
      'extract_data',
      'Data Extractor',
      'Use prompt with an instruction that names the fields, then llm_ollama or llm_openai_api.',
    ],
  ]),
  ...family(['text'], { text: ['text'], documents: ['documents'] }, [
    ['ner', 'Named Entity Recognition', 'Use anonymize_text to mask names; finding and keeping them comes later.'],
  ]),
  ...family(['text'], { text: ['text', 'documents'] }, [
    [
      'summarization',
      'Summarization: LLM',
      'Use prompt with an instruction to summarise, then llm_ollama or llm_openai_api.',
    ],
  ]),
  ...family(['tool'], {}, [
    ['mcp_client', 'MCP Client', later.tool, ['tool_mcp_client']],
    ['tool_bland_ai', 'Bland AI', later.tool],
    ['tool_chartjs', 'Chart (Chart.js)', later.tool, ['chart_chartjs']],
    ['tool_exa_search', 'Exa Search', later.tool],
    ['tool_filesystem', 'File System', later.tool],
    ['tool_firecrawl', 'Firecrawl', later.tool],
    ['tool_git', 'Git', later.tool],
    ['tool_github', 'GitHub', later.tool],
    ['tool_http_request', 'HTTP Request', later.tool],
    ['tool_python', 'Python', later.tool],
  ]),
  ...family(['tool'], { _source: ['text', 'questions', 'documents', 'table', 'answers'] }, [
    ['tool_pipe', 'Pipeline Tool', later.tool],
  ]),
  ...family(['video'], { video: ['image', 'table', 'documents'] }, [
    ['frame_grabber', 'Frame Grabber', 'Take the frames before sending, and send them as images.'],
  ]),
  ...family(['video'], { video: ['text'] }, [
    ['twelvelabs', 'TwelveLabs', 'Describe videos before sending, and send the text to a webhook pipeline.'],
  ]),
  ...reserved(
    'response_json filestore filestore_source tools agent_llamaindex tool_tavily tool_mem0 tool_cognee ' +
      'graph_falkordb rocketride_graph rocketride_sql rocketride_vector db_clickhouse db_supabase db_arango ' +
      'db_hotdata aparavi_aql extract_facts schema_validate landing_ai_parse landing_ai_extract tts_openai ' +
      'tts_elevenlabs background_removal pose_estimation depth_estimate tool_shell workload approval branch ' +
      'conditional cache cache_llm batch_processor cost_tracker context_optimizer chunker caption detect ' +
      'discord db_firestore cloud_stt llm_ibm_watson',
  ),
];

type Entry = readonly [id: string, title: string, instead: string, aliases?: readonly string[]];

function family(
  classType: readonly string[],
  lanes: PlannedProvider['lanes'],
  entries: readonly Entry[],
): PlannedProvider[] {
  return entries.map(([id, title, instead, aliases]) => ({
    id,
    title,
    classType,
    lanes,
    instead,
    ...(aliases === undefined ? {} : { aliases }),
  }));
}

/** Names seen in newer pipelines, of which no more is known than that they exist. */
function reserved(ids: string): PlannedProvider[] {
  const instead = 'It is unknown to this release; see docs/components.md for writing a component of your own.';
  return ids.split(' ').map((id) => ({ id, title: id, classType: ['other'], lanes: {}, instead }));
}
