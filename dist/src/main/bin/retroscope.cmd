@echo off
rem Starts the command "retroscope" of this folder; needs Java 17 or newer.
rem RETROSCOPE_JAVA_OPTS goes to the JVM.
setlocal
set "root=%~dp0.."
set "java=java"
if defined JAVA_HOME set "java=%JAVA_HOME%\bin\java"
if exist "%root%\jre\bin\java.exe" set "java=%root%\jre\bin\java"
"%java%" --enable-native-access=ALL-UNNAMED --add-exports=java.desktop/com.sun.media.sound=ALL-UNNAMED %RETROSCOPE_JAVA_OPTS% -cp "%root%\lib\*" io.retroscope.cli.Retroscope %*
exit /b %ERRORLEVEL%
