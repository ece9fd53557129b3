// SPDX-License-Identifier: Apache-2.0
package io.retroscope.contract.browser;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

/**
 * A Chromium without a window, driven by its debugging protocol. It records what the pages request
 * and report. Used by one thread. An {@link AssertionError} says what did not become true within a
 * minute.
 */
public final class HeadlessBrowser implements AutoCloseable {
  private static final Pattern ADDRESS = Pattern.compile("DevTools listening on (ws://\\S+)");
  private static final long WAIT_SECONDS = 60;

  /** Otherwise each page that is opened starts a process or two. */
  private static final List<String> ONE_PROCESS_FOR_PAGES =
      List.of("--renderer-process-limit=1", "--disable-site-isolation-trials");

  private static final int WEBP_QUALITY = 60;

  /** The modifier of the debugging protocol. */
  private static final int CTRL = 2;

  /** The codes of the keys that move the focus or press a button. */
  private static final Map<String, Integer> KEY_CODES =
      Map.of(
          "Tab", 9, "Enter", 13, "Escape", 27, "ArrowLeft", 37, "ArrowRight", 39, "ArrowDown", 40);

  private final Path profile;
  private final Process process;
  private final WebSocket socket;
  private final BlockingQueue<JsonNode> answers = new LinkedBlockingQueue<>();
  private final List<String> requests = new CopyOnWriteArrayList<>();
  private final List<String> complaints = new CopyOnWriteArrayList<>();
  private final ObjectMapper json = new ObjectMapper();
  private String session = "";
  private int calls;

  private HeadlessBrowser(List<String> options) throws IOException, InterruptedException {
    profile = Files.createTempDirectory("chromium");
    List<String> command =
        new ArrayList<>(
            List.of(
                program().orElseThrow(),
                "--headless=new",
                "--no-sandbox",
                "--disable-gpu",
                "--hide-scrollbars",
                "--remote-debugging-port=0",
                "--user-data-dir=" + profile));
    command.addAll(options);
    command.add("about:blank");
    process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String address = address();
    Thread drain = new Thread(this::drain, "chromium-output");
    drain.setDaemon(true);
    drain.start();
    socket =
        HttpClient.newHttpClient()
            .newWebSocketBuilder()
            .buildAsync(URI.create(address), new Listener())
            .join();
    String target =
        call("Target.createTarget", Map.of("url", "about:blank")).get("targetId").asString();
    session =
        call("Target.attachToTarget", Map.of("targetId", target, "flatten", true))
            .get("sessionId")
            .asString();
    for (String domain : List.of("Page", "Network", "Runtime", "Log")) {
      call(domain + ".enable", Map.of());
    }
  }

  /** Returns the program of a browser on this machine; empty if there is none. */
  public static Optional<String> program() {
    return Stream.of("chromium", "chromium-browser", "google-chrome")
        .flatMap(
            name ->
                Stream.of(System.getenv("PATH").split(":")).map(folder -> Path.of(folder, name)))
        .filter(Files::isExecutable)
        .map(Path::toString)
        .findFirst();
  }

  /** Starts the browser of this machine. Throws NoSuchElementException if there is none. */
  public static HeadlessBrowser start() throws IOException, InterruptedException {
    return new HeadlessBrowser(ONE_PROCESS_FOR_PAGES);
  }

  /** The same for figures of time and memory: each page has a process, as users have it. */
  public static HeadlessBrowser startAsUsersDo() throws IOException, InterruptedException {
    return new HeadlessBrowser(List.of());
  }

  private String address() throws IOException {
    BufferedReader output =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    for (String line = output.readLine(); line != null; line = output.readLine()) {
      Matcher matcher = ADDRESS.matcher(line);
      if (matcher.find()) {
        return matcher.group(1);
      }
    }
    throw new IOException("chromium ended");
  }

  private void drain() {
    try {
      process.getInputStream().transferTo(OutputStream.nullOutputStream());
    } catch (IOException e) {
      // It has ended.
    }
  }

  /** Opens a file and waits until its scripts have run. */
  public void open(Path file, String fragment) throws InterruptedException {
    open(URI.create(file.toUri() + fragment));
  }

  /** Opens an address and waits until its scripts have run. */
  public void open(URI address) throws InterruptedException {
    open(address, "document.documentElement?.dataset.state === 'ready'");
  }

  /** Opens an address and waits until an expression is true. */
  public void open(URI address, String expression) throws InterruptedException {
    call("Page.navigate", Map.of("url", "about:blank"));
    waitFor("location.protocol === 'about:'");
    requests.clear();
    complaints.clear();
    call("Page.navigate", Map.of("url", address.toString()));
    waitFor("location.protocol !== 'about:' && " + expression);
  }

  /** Opens an address in another tab, which runs as long as this browser and is not looked at. */
  public void openTab(URI address) throws InterruptedException {
    call("Target.createTarget", Map.of("url", address.toString()), "");
  }

  /** Waits until an expression is true. */
  public void waitFor(String expression) throws InterruptedException {
    for (int i = 0; i < WAIT_SECONDS * 50; i++) {
      if (evaluate(expression).asBoolean(false)) {
        return;
      }
      Thread.sleep(20);
    }
    throw new AssertionError("never true: " + expression);
  }

  /** Returns the value of an expression, which may be a promise. */
  public JsonNode evaluate(String expression) throws InterruptedException {
    JsonNode result =
        call(
            "Runtime.evaluate",
            Map.of("expression", expression, "returnByValue", true, "awaitPromise", true));
    if (result.has("exceptionDetails")) {
      throw new AssertionError(result.get("exceptionDetails").toString());
    }
    return result.get("result").path("value");
  }

  /** Presses a key, as a user does. */
  public void press(String key) throws InterruptedException {
    press(key, 0);
  }

  /** Presses a key together with Ctrl, as a user does. */
  public void pressWithCtrl(String key) throws InterruptedException {
    press(key, CTRL);
  }

  private void press(String key, int modifiers) throws InterruptedException {
    String text = key.length() == 1 ? key : key.equals("Enter") ? "\r" : "";
    int code = KEY_CODES.getOrDefault(key, 0);
    call(
        "Input.dispatchKeyEvent",
        Map.of(
            "type",
            modifiers == 0 ? "keyDown" : "rawKeyDown",
            "key",
            key,
            "text",
            text,
            "windowsVirtualKeyCode",
            code,
            "modifiers",
            modifiers));
    call("Input.dispatchKeyEvent", Map.of("type", "keyUp", "key", key, "modifiers", modifiers));
  }

  /** Runs a script in each page that is opened from now on, before its own ones. */
  public void runBefore(String script) throws InterruptedException {
    call("Page.addScriptToEvaluateOnNewDocument", Map.of("source", script));
  }

  /** Does what a mouse does; {@code type} is that of the protocol, such as {@code mousePressed}. */
  public void mouse(String type, double x, double y) throws InterruptedException {
    call(
        "Input.dispatchMouseEvent",
        Map.of("type", type, "x", x, "y", y, "button", "left", "buttons", 1, "clickCount", 1));
  }

  /** Chooses light or dark, and the size of the window. */
  public void show(String scheme, int width, int height) throws InterruptedException {
    call(
        "Emulation.setEmulatedMedia",
        Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", scheme))));
    call(
        "Emulation.setDeviceMetricsOverride",
        Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", width < 600));
  }

  /** Returns a picture of the window as PNG. */
  public byte[] picture() throws InterruptedException {
    JsonNode picture = call("Page.captureScreenshot", Map.of("format", "png"));
    return Base64.getDecoder().decode(picture.get("data").asString());
  }

  /** Returns a picture of the window as WebP, which is smaller. */
  public byte[] smallPicture() throws InterruptedException {
    JsonNode picture =
        call("Page.captureScreenshot", Map.of("format", "webp", "quality", WEBP_QUALITY));
    return Base64.getDecoder().decode(picture.get("data").asString());
  }

  /** Returns the bytes of the heap of the page's scripts, after a collection. */
  public long heapBytes() throws InterruptedException {
    call("HeapProfiler.collectGarbage", Map.of());
    return call("Runtime.getHeapUsage", Map.of()).get("usedSize").asLong();
  }

  /** The addresses that the page has requested, itself included. */
  public List<String> requests() {
    return List.copyOf(requests);
  }

  /** Errors of scripts, and violations of the page's policy. */
  public List<String> complaints() {
    return List.copyOf(complaints);
  }

  private JsonNode call(String method, Map<String, Object> parameters) throws InterruptedException {
    return call(method, parameters, session);
  }

  /** Calls a method of the tab of a session; of the browser, if that is empty. */
  private JsonNode call(String method, Map<String, Object> parameters, String session)
      throws InterruptedException {
    int id = ++calls;
    Map<String, Object> message = new HashMap<>();
    message.put("id", id);
    message.put("method", method);
    message.put("params", parameters);
    if (!session.isEmpty()) {
      message.put("sessionId", session);
    }
    socket.sendText(json.writeValueAsString(message), true).join();
    while (true) {
      JsonNode answer = answers.poll(WAIT_SECONDS, TimeUnit.SECONDS);
      if (answer == null) {
        throw new AssertionError("no answer to " + method);
      }
      if (answer.get("id").asInt() == id) {
        if (answer.has("error")) {
          throw new AssertionError(method + ": " + answer.get("error"));
        }
        return answer.get("result");
      }
    }
  }

  private void take(JsonNode message) {
    if (message.has("id")) {
      answers.add(message);
      return;
    }
    JsonNode parameters = message.get("params");
    switch (message.get("method").asString()) {
      case "Network.requestWillBeSent" ->
          requests.add(parameters.get("request").get("url").asString());
      case "Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded" ->
          complaints.add(parameters.toString());
      default -> {}
    }
  }

  /** Gathers messages, which arrive in parts. */
  private final class Listener implements WebSocket.Listener {
    private final StringBuilder part = new StringBuilder();

    @Override
    public @Nullable CompletionStage<?> onText(WebSocket from, CharSequence data, boolean last) {
      part.append(data);
      if (last) {
        take(json.readTree(part.toString()));
        part.setLength(0);
      }
      from.request(1);
      return null;
    }
  }

  @Override
  public void close() throws IOException {
    socket.abort();
    List<ProcessHandle> all =
        Stream.concat(process.descendants(), Stream.of(process.toHandle())).toList();
    process.destroy();
    try {
      for (ProcessHandle one : all) {
        awaitEnd(one);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    Files.walkFileTree(profile, new Deletion());
  }

  /** Waits for a process of the browser: each may write into the profile until it has ended. */
  private static void awaitEnd(ProcessHandle one) throws InterruptedException {
    try {
      one.onExit().get(10, TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      one.destroyForcibly();
    } catch (ExecutionException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Deletes what there is; a process that ends may delete its temporary files at the same time. */
  private static final class Deletion extends SimpleFileVisitor<Path> {
    @Override
    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
      Files.deleteIfExists(file);
      return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult visitFileFailed(Path file, IOException e) throws IOException {
      if (e instanceof NoSuchFileException) {
        return FileVisitResult.CONTINUE;
      }
      throw e;
    }

    @Override
    public FileVisitResult postVisitDirectory(Path folder, @Nullable IOException e)
        throws IOException {
      if (e != null) {
        throw e;
      }
      Files.deleteIfExists(folder);
      return FileVisitResult.CONTINUE;
    }
  }
}
