package io.retroscope.examples.zookeeper;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.util.Arrays;

/**
 * Runs another program for as long as the process that started it lives.
 *
 * <p>Its standard input is a pipe from that process. The pipe ends with the process, however that
 * dies, so no child outlives a demo that was killed.
 */
public final class GuardedMain {
  private GuardedMain() {}

  /**
   * Runs a class's {@code main}; if that throws, the process ends.
   *
   * @param args the class's name, and what it is to be given
   */
  public static void main(String[] args) throws Exception {
    Thread guard = new Thread(GuardedMain::haltWithParent, "parent-guard");
    guard.setDaemon(true);
    guard.start();
    try {
      Class.forName(args[0])
          .getMethod("main", String[].class)
          .invoke(null, (Object) Arrays.copyOfRange(args, 1, args.length));
    } catch (InvocationTargetException e) {
      e.getTargetException().printStackTrace();
      Runtime.getRuntime().halt(1);
    }
  }

  private static void haltWithParent() {
    try {
      while (System.in.read() >= 0) {
        // Nothing is ever sent: only the end of the pipe matters.
      }
    } catch (IOException e) {
      // A broken pipe is its end.
    }
    Runtime.getRuntime().halt(0);
  }
}
