// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recorder;

import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The class loader of one application in a server, with hlc-core among its libraries. */
final class ApplicationLoader extends URLClassLoader {
  private ApplicationLoader(URL[] urls) {
    super(urls, ApplicationLoader.class.getClassLoader());
  }

  /** Loads its own copy of Retroscope's classes, and delegates all others to the parent. */
  @Override
  protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
    if (!name.startsWith("io.retroscope.")) {
      return super.loadClass(name, resolve);
    }
    synchronized (getClassLoadingLock(name)) {
      Class<?> known = findLoadedClass(name);
      return known == null ? findClass(name) : known;
    }
  }

  /** A loader of new copies of hlc-core, of this test's classes and of those in the directories. */
  static ApplicationLoader of(Path... directories) throws MalformedURLException {
    List<URL> urls = new ArrayList<>();
    urls.add(Recorder.class.getProtectionDomain().getCodeSource().getLocation());
    urls.add(ApplicationLoader.class.getProtectionDomain().getCodeSource().getLocation());
    for (Path directory : directories) {
      urls.add(directory.toUri().toURL());
    }
    return new ApplicationLoader(urls.toArray(URL[]::new));
  }

  /** Runs a class of the application on a thread with this as its context class loader. */
  void run(Class<? extends Runnable> application)
      throws ReflectiveOperationException, IOException, InterruptedException {
    Runnable copy =
        (Runnable) loadClass(application.getName()).getDeclaredConstructor().newInstance();
    List<Throwable> failures = new ArrayList<>();
    Thread thread = new Thread(copy);
    thread.setContextClassLoader(this);
    thread.setUncaughtExceptionHandler((on, failure) -> failures.add(failure));
    thread.start();
    thread.join();
    if (!failures.isEmpty()) {
      throw new AssertionError("the application failed", failures.get(0));
    }
  }
}
