// SPDX-License-Identifier: Apache-2.0
package io.retroscope.instrumentation.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.retroscope.recorder.EventLog;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.WriteListener;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A servlet that responds in every possible way, by path. Each response first records a change and
 * then reports it; an asynchronous one does both after the request's own dispatch has ended.
 */
final class AnsweringServlet extends HttpServlet {
  private static final long serialVersionUID = 1;
  private static final String GATE = "gate";

  private final transient EventLog log;
  private final transient List<Throwable> failures = new CopyOnWriteArrayList<>();
  private final transient Map<String, Answer> answers = new TreeMap<>();

  private interface Answer {
    void give(HttpServletRequest request, HttpServletResponse response) throws Exception;
  }

  AnsweringServlet(EventLog log) {
    this.log = log;
    synchronous();
    dispatched();
    asynchronous();
    completed();
  }

  /** The paths whose responses have a stamp above every change that they record. */
  Stream<String> paths() {
    return answers.keySet().stream()
        .filter(path -> !path.equals("/server-sent-events") && !path.equals("/throws"));
  }

  String expectedBody(String path) {
    return path.contains("empty") || path.contains("redirect") || path.contains("error")
        ? ""
        : "counted";
  }

  /** Failures in the service's own threads and callbacks. */
  List<Throwable> failures() {
    return failures;
  }

  /** Signals that the request's own dispatch has ended. */
  void open(ServletRequest request) {
    if (request.getAttribute(GATE) instanceof CountDownLatch gate) {
      gate.countDown();
    }
  }

  @Override
  protected void doGet(HttpServletRequest request, HttpServletResponse response)
      throws ServletException {
    try {
      String path = request.getServletPath() + Objects.toString(request.getPathInfo(), "");
      if (request.getDispatcherType() == DispatcherType.INCLUDE) {
        path = "/writer";
      }
      answers.get(path).give(request, response);
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new ServletException(e);
    }
  }

  private void count() {
    log.set("count", 1);
  }

  private void synchronous() {
    answers.put(
        "/writer",
        (request, response) -> {
          PrintWriter writer = response.getWriter();
          count();
          writer.print("counted");
        });
    answers.put(
        "/writer-format",
        (request, response) -> {
          PrintWriter writer = response.getWriter();
          count();
          writer.format(Locale.ROOT, "%s%d", "counted", 1).append('x').println();
        });
    answers.put(
        "/empty-flushed",
        (request, response) -> {
          count();
          response.flushBuffer();
        });
    answers.put(
        "/stream-buffer",
        (request, response) -> {
          ServletOutputStream stream = response.getOutputStream();
          count();
          stream.write(ByteBuffer.wrap("counted".getBytes(UTF_8)));
        });
    answers.put(
        "/stream-print",
        (request, response) -> {
          ServletOutputStream stream = response.getOutputStream();
          count();
          stream.println("counted");
        });
    answers.put(
        "/reset-then-write",
        (request, response) -> {
          response.getOutputStream().print("draft");
          count();
          response.reset();
          response.getWriter().print("counted");
        });
    answers.put(
        "/reset-buffer-then-write",
        (request, response) -> {
          response.getWriter().print("draft");
          count();
          response.resetBuffer();
          response.getWriter().print("counted");
        });
    answers.put(
        "/empty",
        (request, response) -> {
          response.getOutputStream();
          count();
          response.setStatus(204);
        });
    answers.put(
        "/empty-closed",
        (request, response) -> {
          PrintWriter writer = response.getWriter();
          count();
          writer.close();
        });
    answers.put(
        "/error",
        (request, response) -> {
          count();
          response.sendError(503, "closed");
        });
    answers.put(
        "/redirect",
        (request, response) -> {
          count();
          response.sendRedirect("/writer");
        });
    answers.put(
        "/throws",
        (request, response) -> {
          count();
          throw new IllegalStateException("on purpose");
        });
  }

  private void dispatched() {
    answers.put(
        "/forward",
        (request, response) -> request.getRequestDispatcher("/writer").forward(request, response));
    answers.put(
        "/include",
        (request, response) -> request.getRequestDispatcher("/writer").include(request, response));
    answers.put(
        "/gone",
        (request, response) -> {
          count();
          response.sendError(410);
        });
    answers.put(
        ServletContainer.ERROR_PAGE, (request, response) -> response.getWriter().print("counted"));
  }

  private void asynchronous() {
    asynchronous(
        "/async-writer",
        context -> {
          count();
          context.getResponse().getWriter().print("counted");
          context.complete();
        });
    answers.put(
        "/async-writer-taken-before",
        (request, response) -> {
          PrintWriter writer = response.getWriter();
          later(
              request,
              request.startAsync(),
              context -> {
                count();
                writer.print("counted");
                context.complete();
              });
        });
    answers.put(
        "/async-context-of-request",
        (request, response) -> {
          request.startAsync();
          later(
              request,
              request.getAsyncContext(),
              context -> {
                count();
                context.getResponse().getOutputStream().print("counted");
                context.complete();
              });
        });
    answers.put(
        "/async-same-response",
        (request, response) ->
            later(
                request,
                request.startAsync(request, response),
                context -> {
                  count();
                  response.getWriter().print("counted");
                  context.complete();
                }));
    asynchronous("/async-not-blocking", this::writeWhenPossible);
    answers.put(
        "/server-sent-events",
        (request, response) -> {
          response.setContentType("text/event-stream");
          later(
              request,
              request.startAsync(),
              context -> {
                PrintWriter writer = context.getResponse().getWriter();
                for (int i = 1; i <= 2; i++) {
                  count();
                  writer.write("data: " + i + "\n\n");
                  writer.flush();
                }
                context.complete();
              });
        });
  }

  private void writeWhenPossible(AsyncContext context) throws IOException {
    ServletOutputStream stream = context.getResponse().getOutputStream();
    stream.setWriteListener(
        new WriteListener() {
          private boolean written;

          @Override
          public void onWritePossible() throws IOException {
            if (!written && stream.isReady()) {
              written = true;
              count();
              stream.write("counted".getBytes(UTF_8));
            }
            if (stream.isReady()) {
              context.complete();
            }
          }

          @Override
          public void onError(Throwable failure) {
            failures.add(failure);
          }
        });
  }

  private void completed() {
    asynchronous(
        "/async-empty",
        context -> {
          count();
          context.complete();
        });
    asynchronous(
        "/async-error",
        context -> {
          count();
          ((HttpServletResponse) context.getResponse()).sendError(503);
          context.complete();
        });
    asynchronous(
        "/async-redirect",
        context -> {
          count();
          ((HttpServletResponse) context.getResponse()).sendRedirect("/writer");
          context.complete();
        });
    answers.put(
        "/async-dispatch",
        (request, response) -> dispatchThen(request, () -> response.getWriter().print("counted")));
    answers.put("/async-dispatch-empty", (request, response) -> dispatchThen(request, () -> {}));
    asynchronous("/async-dispatch-elsewhere", context -> context.dispatch("/writer"));
    answers.put(
        "/async-dispatch-at-once", (request, response) -> request.startAsync().dispatch("/writer"));
    answers.put(
        "/async-timeout",
        (request, response) ->
            timeOut(request, context -> context.getResponse().getWriter().print("counted")));
    answers.put("/async-timeout-empty", (request, response) -> timeOut(request, context -> {}));
  }

  private interface Callback<T> {
    void call(T argument) throws Exception;
  }

  private interface Reply {
    void write() throws IOException;
  }

  /**
   * Responds like a framework with a deferred result: the result dispatches the request once more.
   */
  private void dispatchThen(HttpServletRequest request, Reply reply) throws IOException {
    if (request.getDispatcherType() == DispatcherType.ASYNC) {
      count();
      reply.write();
    } else {
      later(request, request.startAsync(), AsyncContext::dispatch);
    }
  }

  private void timeOut(HttpServletRequest request, Callback<AsyncContext> reply) {
    AsyncContext context = request.startAsync();
    context.setTimeout(50);
    context.addListener(
        new AsyncListener() {
          @Override
          public void onTimeout(AsyncEvent event) {
            try {
              count();
              reply.call(event.getAsyncContext());
              event.getAsyncContext().complete();
            } catch (Exception e) {
              failures.add(e);
            }
          }

          @Override
          public void onComplete(AsyncEvent event) {}

          @Override
          public void onError(AsyncEvent event) {}

          @Override
          public void onStartAsync(AsyncEvent event) {}
        });
  }

  private void asynchronous(String path, Callback<AsyncContext> work) {
    answers.put(path, (request, response) -> later(request, request.startAsync(), work));
  }

  /** Runs a task after the request's own dispatch, in a separate thread. */
  private void later(
      HttpServletRequest request, AsyncContext context, Callback<AsyncContext> work) {
    CountDownLatch gate = new CountDownLatch(1);
    request.setAttribute(GATE, gate);
    Thread worker =
        new Thread(
            () -> {
              try {
                if (!gate.await(10, TimeUnit.SECONDS)) {
                  throw new IllegalStateException("the dispatch did not end");
                }
                work.call(context);
              } catch (Exception e) {
                failures.add(e);
                context.complete();
              }
            });
    worker.setDaemon(true);
    worker.start();
  }
}
