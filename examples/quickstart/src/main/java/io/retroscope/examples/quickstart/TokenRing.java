// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.quickstart;

import io.retroscope.recorder.EventLog;
import io.retroscope.recorder.Recorder;
import io.retroscope.sink.HttpSink;
import java.net.URI;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * A service of two workers that pass a token; only the one that holds it may work. Every fifth turn
 * has a bug.
 */
public final class TokenRing {
  private static final int TURNS = 52;

  private record Token(int turn, long hlc) {}

  private TokenRing() {}

  /** Runs the service. The argument is the log server's address; by default the usual one. */
  public static void main(String[] args) throws InterruptedException {
    URI server = URI.create(args.length > 0 ? args[0] : "http://127.0.0.1:7340");
    BlockingQueue<Token> toAnn = new LinkedBlockingQueue<>();
    BlockingQueue<Token> toBob = new LinkedBlockingQueue<>();
    Thread bob = new Thread(() -> work("bob", server, toBob, toAnn));
    bob.start();
    work("ann", server, toAnn, toBob);
    bob.join();
  }

  private static void work(
      String node, URI server, BlockingQueue<Token> inbox, BlockingQueue<Token> outbox) {
    HttpSink sink = HttpSink.builder().server(server).build();
    try (Recorder recorder = Recorder.builder().node(node).sink(sink).build()) {
      EventLog log = recorder.log("ring");
      Token token = node.equals("ann") ? new Token(1, recorder.tick()) : inbox.take();
      while (token.turn <= TURNS) {
        log.receive("", "token " + token.turn, token.hlc);
        log.set("working", true);
        Thread.sleep(3);
        boolean bug = token.turn % 5 == 0; // passes the token on before the work is done
        if (!bug) {
          log.set("working", false);
        }
        outbox.add(new Token(token.turn + 1, log.send("", "token " + (token.turn + 1))));
        Thread.sleep(10);
        log.set("working", false);
        token = inbox.take();
      }
      outbox.add(new Token(TURNS + 1, recorder.tick()));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
