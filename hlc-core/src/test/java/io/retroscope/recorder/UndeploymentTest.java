// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recorder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.retroscope.sink.MemorySink;
import java.lang.ref.WeakReference;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An application that is undeployed from its server leaves nothing in memory. */
class UndeploymentTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  @TempDir private Path directory;

  /** Records, closes and ends. */
  public static final class Closing implements Runnable {
    @Override
    public void run() {
      Recorder recorder =
          Recorder.builder()
              .node("app")
              .sink(new MemorySink())
              .stateDirectory(Path.of(System.getProperty("undeployment.directory")))
              .closeAtShutdown(true)
              .build();
      recorder.share();
      recorder.log("setd").set("r1", 1);
      recorder.close();
    }
  }

  /** Records and ends without closing. */
  public static final class Leaving implements Runnable {
    @Override
    public void run() {
      Recorder.builder().node("app").sink(new MemorySink()).build().log("setd").set("r1", 1);
    }
  }

  @Test
  void close_recorderOfAnApplication_letsItsClassesBeCollected() throws Exception {
    System.setProperty("undeployment.directory", directory.toString());
    WeakReference<ClassLoader> loader = run(Closing.class);
    System.clearProperty("undeployment.directory");
    await().atMost(PATIENCE).until(() -> isCollected(loader));
  }

  @Test
  void noClose_recorderOfAnApplication_keepsItsClasses() throws Exception {
    WeakReference<ClassLoader> loader = run(Leaving.class);
    assertThat(isCollected(loader)).isFalse();
  }

  private static WeakReference<ClassLoader> run(Class<? extends Runnable> application)
      throws Exception {
    ApplicationLoader loader = ApplicationLoader.of();
    loader.run(application);
    loader.close();
    return new WeakReference<>(loader);
  }

  private static boolean isCollected(WeakReference<ClassLoader> loader) {
    System.gc();
    return loader.get() == null;
  }
}
