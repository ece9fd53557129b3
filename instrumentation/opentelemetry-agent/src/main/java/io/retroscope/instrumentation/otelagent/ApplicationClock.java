// SPDX-License-Identifier: Apache-2.0
package io.retroscope.instrumentation.otelagent;

import io.opentelemetry.sdk.autoconfigure.spi.ConfigProperties;
import io.retroscope.instrumentation.opentelemetry.NodeClock;
import java.io.File;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.lang.instrument.Instrumentation;
import java.lang.invoke.MethodHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.jar.JarFile;
import org.jspecify.annotations.Nullable;

/**
 * The clock of the application's shared recorder, from inside the agent. Thread-safe.
 *
 * <p>HAZARD: an application server that loads a web application's own {@code hlc-core} instead of
 * the one on the class path has a second recorder, which this class does not see.
 */
final class ApplicationClock implements NodeClock {
  /*
   * The agent loads this jar by a class loader that neither sees the application nor is seen by it.
   * A recorder created here would be a second one, with its own clock. Recorder is therefore looked
   * up in the system class loader, to which this jar is appended if the application has no Recorder
   * there. Class loaders of frameworks, such as Spring Boot's, query the system class loader first,
   * so that an application inside one finds the same class. The link is made at the first use and
   * not at the start of the agent, so that the application can share its own recorder before.
   */
  private static final String RECORDER = "io/retroscope/recorder/Recorder.class";

  private static @Nullable ApplicationClock only;

  private volatile @Nullable RecorderLink link;
  private volatile boolean failed;

  private ApplicationClock() {}

  /** The only clock of the process; the settings of the agent name its extensions. */
  static synchronized ApplicationClock under(ConfigProperties settings) {
    if (only == null) {
      only = new ApplicationClock();
      try {
        if (ClassLoader.getSystemClassLoader().getResource(RECORDER) == null) {
          append(settings.getList("otel.javaagent.extensions"));
        }
      } catch (IOException | ReflectiveOperationException | RuntimeException e) {
        only.fail(e);
      }
    }
    return only;
  }

  private static void append(List<String> extensions)
      throws IOException, ReflectiveOperationException {
    Class<?> holder =
        Class.forName("io.opentelemetry.javaagent.bootstrap.InstrumentationHolder", true, null);
    Instrumentation agent = (Instrumentation) holder.getMethod("getInstrumentation").invoke(null);
    for (File file : jars(extensions)) {
      JarFile jar = new JarFile(file);
      if (jar.getEntry(RECORDER) != null) {
        agent.appendToSystemClassLoaderSearch(jar);
        return;
      }
      jar.close();
    }
    throw new IOException("otel.javaagent.extensions does not name the jar: " + extensions);
  }

  /** The setting names jars and folders of jars. */
  private static List<File> jars(List<String> extensions) {
    List<File> jars = new ArrayList<>();
    for (String extension : extensions) {
      File file = new File(extension);
      File[] inside = file.listFiles((folder, name) -> name.endsWith(".jar"));
      jars.addAll(inside == null ? List.of(file) : List.of(inside));
    }
    return jars;
  }

  private @Nullable RecorderLink link() {
    RecorderLink known = link;
    if (known == null && !failed) {
      try {
        known = new RecorderLink(ClassLoader.getSystemClassLoader());
        link = known;
      } catch (ReflectiveOperationException | LinkageError e) {
        fail(e);
      }
    }
    return known;
  }

  /** Logs the first failure; the application is not affected. */
  private void fail(Throwable cause) {
    if (!failed) {
      failed = true;
      System.getLogger(ApplicationClock.class.getName())
          .log(Level.ERROR, "the clock is not propagated: the recorder cannot be used", cause);
    }
  }

  @Override
  public String send() {
    RecorderLink recorder = link();
    return recorder == null ? "" : text(recorder.send);
  }

  @Override
  public String tick() {
    RecorderLink recorder = link();
    return recorder == null ? "" : text(recorder.tick);
  }

  private String text(MethodHandle handle) {
    try {
      return (String) handle.invokeExact();
    } catch (Throwable e) {
      fail(e);
      return "";
    }
  }

  @Override
  public void receive(String stamp) {
    RecorderLink recorder = link();
    if (recorder != null) {
      try {
        OptionalLong remote = (OptionalLong) recorder.parse.invokeExact(stamp);
        if (remote.isPresent()) {
          recorder.receive.invokeExact(remote.getAsLong());
        }
      } catch (Throwable e) {
        fail(e);
      }
    }
  }
}
