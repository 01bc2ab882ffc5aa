/** http: bare `node:http`. A POST of text is answered with the job "light", other bytes are counted as they come. */
import { createServer } from 'node:http';
import { light } from '../job.mjs';
import { listen } from './listen.mjs';

listen(
  createServer((request, response) => {
    const text = request.headers['content-type']?.startsWith('text/');
    const chunks = [];
    let bytes = 0;
    request.on('data', (chunk) => {
      bytes += chunk.length;
      if (text) chunks.push(chunk);
    });
    request.on('end', () => {
      const body = JSON.stringify(text ? light(Buffer.concat(chunks).toString()) : { bytes: [bytes] });
      response.setHeader('content-type', 'application/json');
      response.setHeader('content-length', Buffer.byteLength(body));
      response.end(body);
    });
  }),
);
