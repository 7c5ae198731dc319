@echo off
rem bin\switchyard.cmd of an installed app: runs the app's own binary as Node, on the bundle of the command line.
setlocal
set ELECTRON_RUN_AS_NODE=1
"%~dp0..\Switchyard.exe" "%~dp0..\resources\app.asar\out\main\cli.js" %*
exit /b %errorlevel%
