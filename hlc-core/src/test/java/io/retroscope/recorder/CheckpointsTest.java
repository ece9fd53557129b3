// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recorder;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.event.Event;
import io.retroscope.event.EventBody;
import io.retroscope.sink.MemorySink;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Checkpoints as reported by CRaC, through an API of the same form. */
class CheckpointsTest {
  @TempDir private Path directory;

  private static final Map<String, String> API =
      Map.of(
          "Resource",
          """
          public interface Resource {
            void beforeCheckpoint(Context<? extends Resource> context) throws Exception;
            void afterRestore(Context<? extends Resource> context) throws Exception;
          }
          """,
          "Context",
          """
          public abstract class Context<R extends Resource> implements Resource {
            public abstract void register(R resource);
          }
          """,
          "Core",
          """
          import java.util.*;
          public final class Core {
            private static final Map<Resource, Boolean> ALL = new WeakHashMap<>();
            private static final Context<Resource> GLOBAL = new Context<>() {
              public void register(Resource resource) { ALL.put(resource, true); }
              public void beforeCheckpoint(Context<? extends Resource> context) throws Exception {
                for (Resource each : ALL.keySet()) { each.beforeCheckpoint(this); }
              }
              public void afterRestore(Context<? extends Resource> context) throws Exception {
                for (Resource each : ALL.keySet()) { each.afterRestore(this); }
              }
            };
            public static Context<Resource> getGlobalContext() { return GLOBAL; }
          }
          """);

  /** A service that is checkpointed between two events. */
  public static final class Service implements Runnable {
    @Override
    public void run() {
      MemorySink sink = new MemorySink();
      Recorder recorder = Recorder.builder().node("zk1").sink(sink).build();
      String first = recorder.incarnation();
      recorder.log("setd").set("r1", 1);
      System.gc(); // The API holds registered objects weakly.
      report("beforeCheckpoint");
      List<Event> image = sink.events();
      assertThat(image.get(image.size() - 1).body()).isEqualTo(new EventBody.Stop());
      report("afterRestore");
      assertThat(recorder.incarnation()).isNotEqualTo(first);
      recorder.log("setd").set("r1", 2);
      recorder.close();
      assertThat(sink.events()).hasSize(6);
    }

    private static void report(String moment) {
      String api = System.getProperty("checkpoint.api");
      try {
        ClassLoader loader = Service.class.getClassLoader();
        Object context =
            Class.forName(api + ".Core", true, loader).getMethod("getGlobalContext").invoke(null);
        Class<?> type = Class.forName(api + ".Context", true, loader);
        type.getMethod(moment, type).invoke(context, context);
      } catch (ReflectiveOperationException e) {
        throw new LinkageError("the API is not as expected", e);
      }
    }
  }

  @Test
  void checkpoint_reportedByTheLibrary_endsTheIncarnationAndBeginsAnother() throws Exception {
    checkpoint("org.crac");
  }

  @Test
  void checkpoint_reportedByTheJdk_endsTheIncarnationAndBeginsAnother() throws Exception {
    checkpoint("jdk.crac");
  }

  private void checkpoint(String api) throws Exception {
    Path classes = Files.createDirectories(directory.resolve("classes"));
    Path source = Files.createDirectories(directory.resolve("source"));
    for (Map.Entry<String, String> type : API.entrySet()) {
      Files.writeString(
          source.resolve(type.getKey() + ".java"), "package " + api + ";\n" + type.getValue());
    }
    try (Stream<Path> files = Files.list(source)) {
      String[] arguments =
          Stream.concat(Stream.of("-d", classes.toString()), files.map(Path::toString))
              .toArray(String[]::new);
      assertThat(ToolProvider.getSystemJavaCompiler().run(null, null, null, arguments)).isZero();
    }
    System.setProperty("checkpoint.api", api);
    try (ApplicationLoader loader = ApplicationLoader.of(classes)) {
      loader.run(Service.class);
    } finally {
      System.clearProperty("checkpoint.api");
    }
  }
}
