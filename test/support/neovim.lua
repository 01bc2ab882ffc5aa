-- What an editor shows of a file with a mistake, and after it was mended. Prints a line for each.
local buffer = vim.api.nvim_get_current_buf()

local function say(what, value)
  io.stdout:write(what, ': ', type(value) == 'string' and value or vim.inspect(value), '\n')
end

local function wait(what, check)
  if vim.wait(20000, check, 20) then return end
  error('never: ' .. what)
end

local function ask(method, params)
  params.textDocument = vim.lsp.util.make_text_document_params(buffer)
  for _, answer in pairs(vim.lsp.buf_request_sync(buffer, method, params, 20000) or {}) do
    return answer.result
  end
  error('no answer to ' .. method)
end

local function line(number)
  return vim.api.nvim_buf_get_lines(buffer, number - 1, number, true)[1]
end

-- The place of a text in a line.
local function at(number, text)
  return { position = { line = number - 1, character = line(number):find(text, 1, true) } }
end

local function see()
  wait('diagnostics', function() return #vim.diagnostic.get(buffer) > 0 end)
  local lsp = vim.lsp.diagnostic.get_namespace(next(vim.lsp.buf_get_clients(buffer)))
  local found = vim.diagnostic.get(buffer, { namespace = lsp })[1]
  local code = found.code or found.user_data.lsp.code
  say('diagnostic', { found.lnum + 1, found.col + 1, code, found.message })

  local completion = ask('textDocument/completion', at(4, "'webhok"))
  local labels = {}
  for index, item in ipairs(completion.items or completion) do
    if index <= 5 then labels[index] = item.label end
  end
  say('completion', labels)
  say('hover', vim.inspect(vim.split(ask('textDocument/hover', at(5, "'response_text")).contents.value, '\n')[1]))
  local definition = ask('textDocument/definition', at(5, "'in'"))
  local start = (definition[1] or definition).range or (definition[1] or definition).targetSelectionRange
  say('definition', { start.start.line + 1, start.start.character + 1 })

  local range = { start = { line = 3, character = 26 }, ['end'] = { line = 3, character = 34 } }
  local diagnostics = { { range = range, code = code, message = found.message, severity = 1, source = 'millrace' } }
  local action = ask('textDocument/codeAction', { range = range, context = { diagnostics = diagnostics } })[1]
  say('code action', vim.inspect(action.title))
  vim.lsp.util.apply_workspace_edit(action.edit, 'utf-16')
  say('line', vim.inspect(line(4)))
  local edits = ask('textDocument/formatting', { options = { tabSize = 2, insertSpaces = true } })
  vim.lsp.util.apply_text_edits(edits, buffer, 'utf-16')
  say('formatted', vim.inspect(line(5)))
  wait('the end of the diagnostics', function() return #vim.diagnostic.get(buffer) == 0 end)
  say('diagnostics left', #vim.diagnostic.get(buffer))
end

local seen, problem = pcall(see)
if not seen then say('problem', problem) end
vim.cmd(seen and 'quitall!' or 'cquit')
